// A flag between blocks is raised by an atomic that is only as wide as a block.
// CLASS: scoped-atomic global
#include "tests/cuda/host/common.h"

extern "C" __global__ void pass(int* data, int* flag, int* out) {
  if (blockIdx.x == 0) {
    *data = 42;  // RACE2
    __threadfence();
    atomicExch_block(flag, 1);  // RACE
  } else {
    while (atomicAdd(flag, 0) == 0) {  // RACE
    }
    __threadfence();
    *out = *data;  // RACE2
  }
}

const char* const script = R"(
buffer data int 1
buffer flag int 1
buffer out int 1
launch pass<<<2, 1>>>(data, flag, out)
)";
MAIN(KERNEL(pass))
