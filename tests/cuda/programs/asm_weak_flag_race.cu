// Inline PTX: the flag is stored by a weak st, however strong the load is.
// CLASS: inter-block global
#include "tests/cuda/host/common.h"

extern "C" __global__ void pass(int* flag, int* out) {
  if (blockIdx.x == 0) {
    asm volatile("st.weak.global.s32 [%0], 1;" ::"l"(flag) : "memory");  // RACE
  } else {
    int seen;
    asm volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(seen) : "l"(flag) : "memory");  // RACE
    *out = seen;
  }
}

const char* const script = R"(
buffer flag int 1
buffer out int 1
launch pass<<<2, 1>>>(flag, out)
)";
MAIN(KERNEL(pass))
