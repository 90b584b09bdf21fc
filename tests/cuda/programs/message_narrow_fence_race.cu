// Message passing between blocks with a fence that is only as wide as a block.
// CLASS: scoped-fence global
#include "tests/cuda/host/common.h"

extern "C" __global__ void pass(int* data, int* flag, int* out) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    *data = 42;  // RACE
    __threadfence_block();
    atomicExch(flag, 1);
  } else {
    while (atomicAdd(flag, 0) == 0) {
    }
    __threadfence();
    *out = *data;  // RACE
  }
}

const char* const script = R"(
buffer data int 1
buffer flag int 1
buffer out int 1
launch pass<<<2, 64>>>(data, flag, out)
)";
MAIN(KERNEL(pass))
