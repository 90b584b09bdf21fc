// A histogram in shared memory with plain increments across warps.
// CLASS: intra-block shared
#include "tests/cuda/host/common.h"

extern "C" __global__ void histogram(const int* data, int* bins) {
  __shared__ int local[8];
  if (threadIdx.x < 8) local[threadIdx.x] = 0;
  __syncthreads();
  if (threadIdx.x % 32 == 0) local[data[threadIdx.x] & 7] += 1;  // RACE RACE
  __syncthreads();
  if (threadIdx.x < 8) atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
}

const char* const script = R"(
buffer data int 128 = 3
buffer bins int 8
launch histogram<<<2, 128>>>(data, bins)
)";
MAIN(KERNEL(histogram))
