// The producer arrives before it has written all.
// CLASS: intra-block shared
#include "tests/cuda/host/common.h"

extern "C" __global__ void hand_over(int* out) {
  __shared__ int tile[32];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  if (warp == 0) {
    asm volatile("bar.arrive 3, 64;" ::: "memory");
    tile[lane] = lane;  // RACE
  } else {
    asm volatile("bar.sync 3, 64;" ::: "memory");
    out[lane] = tile[31 - lane];  // RACE
  }
}

const char* const script = R"(
buffer out int 32
launch hand_over<<<1, 64>>>(out)
)";
MAIN(KERNEL(hand_over))
