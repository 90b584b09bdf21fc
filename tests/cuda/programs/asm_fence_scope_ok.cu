// Inline PTX: fence.acq_rel.gpu on both sides.
#include "tests/cuda/host/common.h"

extern "C" __global__ void pass(int* data, int* flag, int* out) {
  if (blockIdx.x == 0) {
    *data = 42;
    asm volatile("fence.acq_rel.gpu;" ::: "memory");
    atomicExch(flag, 1);
  } else {
    while (atomicAdd(flag, 0) == 0) {
    }
    asm volatile("fence.acq_rel.gpu;" ::: "memory");
    *out = *data;
  }
}

const char* const script = R"(
buffer data int 1
buffer flag int 1
buffer out int 1
launch pass<<<2, 1>>>(data, flag, out)
expect out[0] == 42
)";
MAIN(KERNEL(pass))
