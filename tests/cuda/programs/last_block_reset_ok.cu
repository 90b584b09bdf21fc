// The last block sets the counter back by an atomic.
#include "tests/cuda/host/common.h"

extern "C" __global__ void sum(int* parts, unsigned* done, int* out) {
  parts[blockIdx.x] = blockIdx.x;
  __threadfence();
  if (atomicInc(done, gridDim.x) == gridDim.x - 1) {
    __threadfence();
    *out = parts[0] + parts[1];
    atomicExch(done, 0u);
  }
}

const char* const script = R"(
buffer parts int 2
buffer done uint 1
buffer out int 1
launch sum<<<2, 1>>>(parts, done, out)
expect out[0] == 1
expect done[0] == 0
)";
MAIN(KERNEL(sum))
