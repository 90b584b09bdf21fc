// A scan in place with one barrier a step: reading and writing are not apart.
// CLASS: intra-block shared
#include "tests/cuda/host/common.h"

extern "C" __global__ void scan(int* data) {
  __shared__ int sums[64];
  const int i = threadIdx.x;
  sums[i] = data[i];
  __syncthreads();
#pragma unroll 1
  for (int step = 1; step < 64; step *= 2) {
    if (i >= step) sums[i] += sums[i - step];  // RACE RACE
    __syncthreads();
  }
  data[i] = sums[i];
}

const char* const script = R"(
buffer data int 64 = 1
launch scan<<<1, 64>>>(data)
)";
MAIN(KERNEL(scan))
