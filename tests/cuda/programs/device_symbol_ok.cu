// One kernel writes the __device__ variable, the next reads it.
#include "tests/cuda/host/common.h"

__device__ int shared_value;

extern "C" __global__ void put(int* out) {
  if (blockIdx.x == 0) shared_value = 5;
}
extern "C" __global__ void get(int* out) {
  *out = shared_value;
}

const char* const script = R"(
buffer out int 1
symbol shared_value int 1
launch put<<<2, 1>>>(out)
launch get<<<1, 1>>>(out)
expect out[0] == 5
expect shared_value[0] == 5
)";
MAIN(KERNEL(put), KERNEL(get), SYMBOL(shared_value))
