// A histogram with atomic increments.
#include "tests/cuda/host/common.h"

extern "C" __global__ void histogram(const int* data, int* bins, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&bins[data[i] & 7], 1);
}

const char* const script = R"(
buffer data int 256 = 3
buffer bins int 8
launch histogram<<<4, 64>>>(data, bins, 256)
expect bins[3] == 256
)";
MAIN(KERNEL(histogram))
