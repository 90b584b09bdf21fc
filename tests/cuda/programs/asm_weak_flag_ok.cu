// Inline PTX: the flag is stored by st.relaxed after a fence.
#include "tests/cuda/host/common.h"

extern "C" __global__ void pass(int* flag, int* out) {
  if (blockIdx.x == 0) {
    asm volatile("fence.sc.gpu; st.relaxed.gpu.global.s32 [%0], 1;" ::"l"(flag) : "memory");
  } else {
    int seen;
    asm volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(seen) : "l"(flag) : "memory");
    *out = seen;
  }
}

const char* const script = R"(
buffer flag int 1
buffer out int 1
launch pass<<<2, 1>>>(flag, out)
expect flag[0] == 1
)";
MAIN(KERNEL(pass))
