// The consumer looks at the flag once, and reads in any case.
// CLASS: inter-block global
// SEEDS: some
#include "tests/cuda/host/common.h"

extern "C" __global__ void pass(int* data, int* flag, int* out) {
  if (blockIdx.x == 0) {
    *data = 42;  // RACE
    __threadfence();
    atomicExch(flag, 1);
  } else {
    const int ready = atomicAdd(flag, 0);
    __threadfence();
    *out = *data + ready;  // RACE
  }
}

const char* const script = R"(
buffer data int 1
buffer flag int 1
buffer out int 1
launch pass<<<2, 1>>>(data, flag, out)
)";
MAIN(KERNEL(pass))
