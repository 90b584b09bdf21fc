// Inline PTX: a producer warp arrives at an mbarrier, a consumer warp waits for its phase.
#include "tests/cuda/host/common.h"

extern "C" __global__ void hand_over(int* out) {
  __shared__ int tile[32];
  __shared__ unsigned long long object;
  const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(&object));
  const int i = threadIdx.x;
  if (i == 0) asm volatile("mbarrier.init.shared.b64 [%0], 32;" ::"r"(at) : "memory");
  __syncthreads();
  if (i < 32) {
    tile[i] = i;
    unsigned long long token;
    asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(token) : "r"(at) : "memory");
  } else {
    unsigned done = 0;
    while (!done)
      asm volatile("{.reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], 0; selp.u32 %0, 1, 0, p;}"
                   : "=r"(done) : "r"(at) : "memory");
    out[i - 32] = tile[63 - i];
  }
}

const char* const script = R"(
buffer out int 32
launch hand_over<<<1, 64>>>(out)
expect out[0] == 31
)";
MAIN(KERNEL(hand_over))
