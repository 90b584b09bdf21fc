// All lanes of a warp store, then half of them read what the other half has stored, without __syncwarp.
// CLASS: intra-warp shared
#include "tests/cuda/host/common.h"

extern "C" __global__ void fold(int* out) {
  __shared__ int sums[32];
  const int lane = threadIdx.x;
  sums[lane] = lane;  // RACE
  if (lane < 16) out[lane] = lane + sums[lane + 16];  // RACE
}

const char* const script = R"(
buffer out int 16
launch fold<<<1, 32>>>(out)
)";
MAIN(KERNEL(fold))
