// All threads write and have a fence, then a barrier, then thread 0 counts the block.
#include "tests/cuda/host/common.h"

extern "C" __global__ void sum(int* parts, int* done, int* out) {
  __shared__ int last;
  const int i = threadIdx.x;
  if (i >= 32) parts[blockIdx.x * 32 + i - 32] = 1;
  __threadfence();
  __syncthreads();
  if (i == 0) {
    last = atomicAdd(done, 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (last && i < 32) {
    __threadfence();
    out[i] = parts[i] + parts[32 + i];
  }
}

const char* const script = R"(
buffer parts int 64
buffer done int 1
buffer out int 32
launch sum<<<2, 64>>>(parts, done, out)
expect out == 2
)";
MAIN(KERNEL(sum))
