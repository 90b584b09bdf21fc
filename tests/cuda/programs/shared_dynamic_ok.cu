// Two arrays in dynamic shared memory, one after the other.
#include "tests/cuda/host/common.h"

extern "C" __global__ void split(int* out) {
  extern __shared__ int room[];
  int* const first = room;
  int* const second = room + 32;
  const int i = threadIdx.x;
  if (i < 32) {
    first[i] = i;
  } else {
    second[i - 32] = 2 * i;
  }
  __syncthreads();
  out[i] = i < 32 ? first[i] : second[i - 32];
}

const char* const script = R"(
buffer out int 64
launch split<<<1, 64, 256>>>(out)
expect out[31] == 31
expect out[63] == 126
)";
MAIN(KERNEL(split))
