// A barrier of all blocks by a counter: every thread has a fence, before and after.
#include "tests/cuda/host/common.h"

__device__ void all_blocks(int* count, int blocks) {
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) {
    atomicAdd(count, 1);
    while (atomicAdd(count, 0) < blocks) {
    }
  }
  __syncthreads();
  __threadfence();
}
extern "C" __global__ void exchange(int* data, int* count, int* out) {
  data[blockIdx.x * blockDim.x + threadIdx.x] = blockIdx.x + 1;
  all_blocks(count, gridDim.x);
  const int other = (blockIdx.x + 1) % gridDim.x;
  out[blockIdx.x * blockDim.x + threadIdx.x] = data[other * blockDim.x + threadIdx.x];
}

const char* const script = R"(
buffer data int 128
buffer count int 1
buffer out int 128
launch exchange<<<2, 64>>>(data, count, out)
expect out[0] == 2
expect out[127] == 1
)";
MAIN(KERNEL(exchange))
