// A reader-writer lock that the writer does not take.
// CLASS: lock global
#include "tests/cuda/host/common.h"

extern "C" __global__ void share(int* state, int* value, int* out) {
  if (blockIdx.x == 0) {
    __threadfence();
    *value = 9;  // RACE
    __threadfence();
  } else {
    int seen = atomicAdd(state, 0);
    while (seen < 0 || atomicCAS(state, seen, seen + 1) != seen) seen = atomicAdd(state, 0);
    __threadfence();
    out[blockIdx.x] = *value;  // RACE
    __threadfence();
    atomicSub(state, 1);
  }
}

const char* const script = R"(
buffer state int 1
buffer value int 1
buffer out int 4
launch share<<<4, 1>>>(state, value, out)
)";
MAIN(KERNEL(share))
