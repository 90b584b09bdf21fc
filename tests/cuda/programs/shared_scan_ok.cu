// A scan with two buffers and one barrier a step.
#include "tests/cuda/host/common.h"

extern "C" __global__ void scan(int* data) {
  __shared__ int sums[2][64];
  const int i = threadIdx.x;
  int from = 0;
  sums[0][i] = data[i];
  __syncthreads();
#pragma unroll 1
  for (int step = 1; step < 64; step *= 2) {
    sums[1 - from][i] = sums[from][i] + (i >= step ? sums[from][i - step] : 0);
    from = 1 - from;
    __syncthreads();
  }
  data[i] = sums[from][i];
}

const char* const script = R"(
buffer data int 64 = 1
launch scan<<<1, 64>>>(data)
expect data[63] == 64
)";
MAIN(KERNEL(scan))
