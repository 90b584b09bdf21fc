// Inline PTX: st.release.cta for a consumer in another block.
// CLASS: scoped-atomic global
#include "tests/cuda/host/common.h"

extern "C" __global__ void pass(int* data, int* flag, int* out) {
  if (blockIdx.x == 0) {
    *data = 42;  // RACE2
    asm volatile("st.release.cta.global.s32 [%0], 1;" ::"l"(flag) : "memory");  // RACE
  } else {
    int seen = 0;
    do asm volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(seen) : "l"(flag) : "memory");  // RACE
    while (seen == 0);
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
