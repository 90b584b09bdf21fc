// Waits for a flag by an atomic and for another one by a load that acquires; what it reads then is the first one's. Enough for
// the papers, not for the PTX model: the atomic has no fence behind it.
// CLASS: missing-fence global
#include "tests/cuda/host/common.h"

extern "C" __global__ void pass(int* data, int* flags, int* out) {
  if (blockIdx.x == 0) {
    while (atomicAdd(&flags[0], 0) == 0) {
    }
    int seen;
    const auto second = __cvta_generic_to_global(&flags[1]);
    do asm volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(seen) : "l"(second) : "memory");
    while (seen == 0);
    *out = *data;  // RACE@ptx
  } else if (blockIdx.x == 1) {
    *data = 42;  // RACE@ptx
    __threadfence();
    atomicExch(&flags[0], 1);
  } else {
    atomicExch(&flags[1], 1);
  }
}

const char* const script = R"(
buffer data int 1
buffer flags int 2
buffer out int 1
launch pass<<<3, 1>>>(data, flags, out)
expect out[0] == 42
)";
MAIN(KERNEL(pass))
