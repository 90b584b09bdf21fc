// A reduction within a warp with __syncwarp after every step.
#include "tests/cuda/host/common.h"

extern "C" __global__ void reduce(const int* in, int* out) {
  __shared__ int sums[32];
  const int lane = threadIdx.x;
  sums[lane] = in[lane];
  __syncwarp();
#pragma unroll 1
  for (int step = 16; step > 0; step /= 2) {
    if (lane < step) sums[lane] += sums[lane + step];
    __syncwarp();
  }
  if (lane == 0) *out = sums[0];
}

const char* const script = R"(
buffer in int 32 = 1
buffer out int 1
launch reduce<<<1, 32>>>(in, out)
expect out[0] == 32
)";
MAIN(KERNEL(reduce))
