// Message passing with system-wide atomics, which order nothing by themselves.
// CLASS: missing-fence global
#include "tests/cuda/host/common.h"

extern "C" __global__ void pass(int* data, int* flag, int* out) {
  if (blockIdx.x == 0) {
    *data = 42;  // RACE
    atomicExch_system(flag, 1);
  } else {
    while (atomicAdd_system(flag, 0) == 0) {
    }
    __threadfence_system();
    *out = *data;  // RACE
  }
}

const char* const script = R"(
buffer data int 1
buffer flag int 1
buffer out int 1
launch pass<<<2, 1>>>(data, flag, out)
)";
MAIN(KERNEL(pass))
