// Two warps meet at a named barrier, and a third reads without.
// CLASS: intra-block shared
#include "tests/cuda/host/common.h"

extern "C" __global__ void meet(int* out) {
  __shared__ int tile[32];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  if (warp == 0) tile[lane] = lane;  // RACE
  if (warp < 2) asm volatile("bar.sync 1, 64;" ::: "memory");
  if (warp == 2) out[lane] = tile[31 - lane];  // RACE
}

const char* const script = R"(
buffer out int 32
launch meet<<<1, 96>>>(out)
)";
MAIN(KERNEL(meet))
