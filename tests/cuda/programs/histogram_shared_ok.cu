// A histogram in shared memory with atomics, a barrier before and after.
#include "tests/cuda/host/common.h"

extern "C" __global__ void histogram(const int* data, int* bins) {
  __shared__ int local[8];
  if (threadIdx.x < 8) local[threadIdx.x] = 0;
  __syncthreads();
  atomicAdd_block(&local[data[threadIdx.x] & 7], 1);
  __syncthreads();
  if (threadIdx.x < 8) atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
}

const char* const script = R"(
buffer data int 128 = 3
buffer bins int 8
launch histogram<<<2, 128>>>(data, bins)
expect bins[3] == 256
)";
MAIN(KERNEL(histogram))
