// The two warps that share a tile meet at a named barrier of 64 threads.
#include "tests/cuda/host/common.h"

extern "C" __global__ void meet(int* out) {
  __shared__ int tile[32];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  if (warp == 0) tile[lane] = lane;
  if (warp < 2) asm volatile("bar.sync 1, 64;" ::: "memory");
  if (warp == 1) out[lane] = tile[31 - lane];
}

const char* const script = R"(
buffer out int 32
launch meet<<<1, 96>>>(out)
expect out[0] == 31
)";
MAIN(KERNEL(meet))
