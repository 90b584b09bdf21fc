// All lanes of a warp store, meet at __syncwarp, and half of them read what the other half has stored.
#include "tests/cuda/host/common.h"

extern "C" __global__ void fold(int* out) {
  __shared__ int sums[32];
  const int lane = threadIdx.x;
  sums[lane] = lane;
  __syncwarp();
  if (lane < 16) out[lane] = lane + sums[lane + 16];
}

const char* const script = R"(
buffer out int 16
launch fold<<<1, 32>>>(out)
expect out[0] == 16
)";
MAIN(KERNEL(fold))
