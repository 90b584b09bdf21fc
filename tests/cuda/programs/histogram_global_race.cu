// A histogram with plain increments.
// CLASS: inter-block global
#include "tests/cuda/host/common.h"

extern "C" __global__ void histogram(const int* data, int* bins, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && threadIdx.x == 0) bins[data[i] & 7] += 1;  // RACE RACE
}

const char* const script = R"(
buffer data int 256 = 3
buffer bins int 8
launch histogram<<<4, 64>>>(data, bins, 256)
)";
MAIN(KERNEL(histogram))
