// The consumer says that the one slot is empty before it has read it.
// CLASS: intra-block shared
#include "tests/cuda/host/common.h"

extern "C" __global__ void ping_pong(int* out) {
  __shared__ int slot[32];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  int sum = 0;
#pragma unroll 1
  for (int round = 0; round < 3; ++round) {
    if (warp == 0) {
      if (round > 0) asm volatile("bar.sync 2, 64;" ::: "memory");
      slot[lane] = lane + round;  // RACE
      asm volatile("bar.arrive 1, 64;" ::: "memory");
    } else {
      asm volatile("bar.sync 1, 64;" ::: "memory");
      if (round < 2) asm volatile("bar.arrive 2, 64;" ::: "memory");
      sum += slot[31 - lane];  // RACE
    }
  }
  if (warp == 1) out[lane] = sum;
}

const char* const script = R"(
buffer out int 32
launch ping_pong<<<1, 64>>>(out)
)";
MAIN(KERNEL(ping_pong))
