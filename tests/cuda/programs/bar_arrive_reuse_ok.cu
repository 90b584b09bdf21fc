// A producer and a consumer hand one slot back and forth by two named barriers.
#include "tests/cuda/host/common.h"

extern "C" __global__ void ping_pong(int* out) {
  __shared__ int slot[32];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  int sum = 0;
#pragma unroll 1
  for (int round = 0; round < 3; ++round) {
    if (warp == 0) {
      if (round > 0) asm volatile("bar.sync 2, 64;" ::: "memory");
      slot[lane] = lane + round;
      asm volatile("bar.arrive 1, 64;" ::: "memory");
    } else {
      asm volatile("bar.sync 1, 64;" ::: "memory");
      sum += slot[31 - lane];
      if (round < 2) asm volatile("bar.arrive 2, 64;" ::: "memory");
    }
  }
  if (warp == 1) out[lane] = sum;
}

const char* const script = R"(
buffer out int 32
launch ping_pong<<<1, 64>>>(out)
expect out[0] == 96
)";
MAIN(KERNEL(ping_pong))
