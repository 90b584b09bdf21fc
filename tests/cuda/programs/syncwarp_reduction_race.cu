// A reduction within a warp whose steps are in branches, without __syncwarp.
// CLASS: intra-warp shared
#include "tests/cuda/host/common.h"

extern "C" __global__ void reduce(const int* in, int* out) {
  __shared__ int sums[32];
  const int lane = threadIdx.x;
  sums[lane] = in[lane];
  __syncwarp();
#pragma unroll 1
  for (int step = 16; step > 0; step /= 2) {
    if (lane < step) sums[lane] += sums[lane + step];  // RACE RACE
  }
  if (lane == 0) *out = sums[0];
}

const char* const script = R"(
buffer in int 32 = 1
buffer out int 1
launch reduce<<<1, 32>>>(in, out)
)";
MAIN(KERNEL(reduce))
