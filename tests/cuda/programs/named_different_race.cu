// Writer and reader wait at barriers of different numbers, each with a helper warp.
// CLASS: intra-block shared
#include "tests/cuda/host/common.h"

extern "C" __global__ void meet(int* out) {
  __shared__ int tile[32];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  if (warp == 0) {
    tile[lane] = lane;  // RACE
    asm volatile("bar.sync 1, 64;" ::: "memory");
  } else if (warp == 1) {
    asm volatile("bar.sync 1, 64;" ::: "memory");
  } else if (warp == 2) {
    asm volatile("bar.sync 2, 64;" ::: "memory");
    out[lane] = tile[31 - lane];  // RACE
  } else {
    asm volatile("bar.sync 2, 64;" ::: "memory");
  }
}

const char* const script = R"(
buffer out int 32
launch meet<<<1, 128>>>(out)
)";
MAIN(KERNEL(meet))
