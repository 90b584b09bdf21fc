// Message passing between the warps of a block with a fence as wide as a block.
#include "tests/cuda/host/common.h"

extern "C" __global__ void pass(int* data, int* flag, int* out) {
  if (threadIdx.x == 0) {
    *data = 42;
    __threadfence_block();
    atomicExch(flag, 1);
  } else if (threadIdx.x == 32) {
    while (atomicAdd(flag, 0) == 0) {
    }
    __threadfence_block();
    *out = *data;
  }
}

const char* const script = R"(
buffer data int 1
buffer flag int 1
buffer out int 1
launch pass<<<1, 64>>>(data, flag, out)
expect out[0] == 42
)";
MAIN(KERNEL(pass))
