// Volatile accesses to data do not order anything: a fence is missing before the flag.
// CLASS: missing-fence global
#include "tests/cuda/host/common.h"

extern "C" __global__ void pass(volatile int* data, int* flag, int* out) {
  if (blockIdx.x == 0) {
    data[0] = 42;  // RACE@cuda
    atomicExch(flag, 1);
  } else {
    while (atomicAdd(flag, 0) == 0) {
    }
    __threadfence();
    *out = data[0];  // RACE@cuda
  }
}

const char* const script = R"(
buffer data int 1
buffer flag int 1
buffer out int 1
launch pass<<<2, 1>>>(data, flag, out)
)";
MAIN(KERNEL(pass))
