// A tree reduction with a barrier in every step.
#include "tests/cuda/host/common.h"

extern "C" __global__ void reduce(const int* in, int* out) {
  __shared__ int sums[128];
  const int i = threadIdx.x;
  sums[i] = in[i];
  __syncthreads();
#pragma unroll 1
  for (int step = 64; step >= 32; step /= 2) {
    if (i < step) sums[i] += sums[i + step];
    __syncthreads();
  }
  if (i < 32) out[i] = sums[i];
}

const char* const script = R"(
buffer in int 128 = 1
buffer out int 32
launch reduce<<<1, 128>>>(in, out)
expect out == 4
)";
MAIN(KERNEL(reduce))
