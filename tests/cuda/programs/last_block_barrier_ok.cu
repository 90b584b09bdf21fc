// Whether this is the last block is read from shared memory after a barrier.
#include "tests/cuda/host/common.h"

extern "C" __global__ void sum(int* parts, int* done, int* out) {
  __shared__ int last;
  if (threadIdx.x == 0) {
    parts[blockIdx.x] = 1;
    __threadfence();
    last = atomicAdd(done, 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (threadIdx.x == 32) out[blockIdx.x] = last;
}

const char* const script = R"(
buffer parts int 4
buffer done int 1
buffer out int 4
launch sum<<<4, 64>>>(parts, done, out)
expect sum(out) == 1
)";
MAIN(KERNEL(sum))
