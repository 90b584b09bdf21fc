// A reader-writer lock: -1 is a writer, more than 0 are readers.
#include "tests/cuda/host/common.h"

extern "C" __global__ void share(int* state, int* value, int* out) {
  if (blockIdx.x == 0) {
    while (atomicCAS(state, 0, -1) != 0) {
    }
    __threadfence();
    *value = 9;
    __threadfence();
    atomicExch(state, 0);
  } else {
    int seen = atomicAdd(state, 0);
    while (seen < 0 || atomicCAS(state, seen, seen + 1) != seen) seen = atomicAdd(state, 0);
    __threadfence();
    out[blockIdx.x] = *value;
    __threadfence();
    atomicSub(state, 1);
  }
}

const char* const script = R"(
buffer state int 1
buffer value int 1
buffer out int 4
launch share<<<4, 1>>>(state, value, out)
expect value[0] == 9
expect state[0] == 0
)";
MAIN(KERNEL(share))
