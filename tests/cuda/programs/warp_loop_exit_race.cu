// Lanes leave a loop at different times; those that are out read what those within still write.
// CLASS: intra-warp shared
#include "tests/cuda/host/common.h"

extern "C" __global__ void leave(int* out) {
  __shared__ int last[32];
  const int lane = threadIdx.x;
#pragma unroll 1
  for (int i = 0; i <= lane; ++i) last[lane] = i;  // RACE
  if (lane < 16) out[lane] = last[31 - lane];  // RACE
}

const char* const script = R"(
buffer out int 16
launch leave<<<1, 32>>>(out)
)";
MAIN(KERNEL(leave))
