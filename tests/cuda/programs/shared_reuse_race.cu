// Shared memory is used for something else before the slowest warp has read its sum.
// CLASS: intra-block shared
#include "tests/cuda/host/common.h"

extern "C" __global__ void twice(const int* in, int* out) {
  __shared__ int room[64];
  const int i = threadIdx.x;
  room[i] = in[i];
  __syncthreads();
  const int a = room[(i + 32) % 64];  // RACE
  room[i] = 3 * i;  // RACE
  __syncthreads();
  out[i] = a + room[63 - i];
}

const char* const script = R"(
buffer in int 64 = 1
buffer out int 64
launch twice<<<1, 64>>>(in, out)
)";
MAIN(KERNEL(twice))
