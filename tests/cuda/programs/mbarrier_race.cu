// Inline PTX: a consumer warp reads without waiting for the phase of the mbarrier.
// CLASS: intra-block shared
#include "tests/cuda/host/common.h"

extern "C" __global__ void hand_over(int* out) {
  __shared__ int tile[32];
  __shared__ unsigned long long object;
  const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(&object));
  const int i = threadIdx.x;
  if (i == 0) asm volatile("mbarrier.init.shared.b64 [%0], 32;" ::"r"(at) : "memory");
  __syncthreads();
  if (i < 32) {
    tile[i] = i;  // RACE
    unsigned long long token;
    asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(token) : "r"(at) : "memory");
  } else {
    out[i - 32] = tile[63 - i];  // RACE
  }
}

const char* const script = R"(
buffer out int 32
launch hand_over<<<1, 64>>>(out)
)";
MAIN(KERNEL(hand_over))
