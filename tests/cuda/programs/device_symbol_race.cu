// Blocks exchange values through a __device__ variable with nothing between.
// CLASS: inter-block global
#include "tests/cuda/host/common.h"

__device__ int shared_value;

extern "C" __global__ void put(int* out) {
  if (blockIdx.x == 0) shared_value = 5;  // RACE
  if (blockIdx.x == 1) *out = shared_value;  // RACE
}

const char* const script = R"(
buffer out int 1
symbol shared_value int 1
launch put<<<2, 1>>>(out)
)";
MAIN(KERNEL(put), SYMBOL(shared_value))
