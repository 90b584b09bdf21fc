// A flag by atomics, looked at once.
#include "tests/cuda/host/common.h"

extern "C" __global__ void pass(int* flag, int* out) {
  if (blockIdx.x == 0) {
    atomicExch(flag, 1);
  } else {
    *out = atomicOr(flag, 0);
  }
}

const char* const script = R"(
buffer flag int 1
buffer out int 1
launch pass<<<2, 1>>>(flag, out)
expect flag[0] == 1
)";
MAIN(KERNEL(pass))
