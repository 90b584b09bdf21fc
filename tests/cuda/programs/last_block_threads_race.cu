// All threads write, but only thread 0 has a fence before its block is counted, and no barrier is before it.
// CLASS: inter-block global
#include "tests/cuda/host/common.h"

extern "C" __global__ void sum(int* parts, int* done, int* out) {
  __shared__ int last;
  const int i = threadIdx.x;
  if (i >= 32) parts[blockIdx.x * 32 + i - 32] = 1;  // RACE
  if (i == 0) {
    __threadfence();
    last = atomicAdd(done, 1) == gridDim.x - 1;
    __threadfence();
  }
  __syncthreads();
  if (last && i < 32) {
    __threadfence();
    out[i] = parts[i] + parts[32 + i];  // RACE
  }
}

const char* const script = R"(
buffer parts int 64
buffer done int 1
buffer out int 32
launch sum<<<2, 64>>>(parts, done, out)
)";
MAIN(KERNEL(sum))
