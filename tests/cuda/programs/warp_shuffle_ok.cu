// Lanes hand values on by shuffles: no memory, no race.
#include "tests/cuda/host/common.h"

extern "C" __global__ void reduce(const int* in, int* out) {
  const int lane = threadIdx.x;
  int sum = in[lane];
#pragma unroll 1
  for (int step = 16; step > 0; step /= 2) {
    sum += __shfl_down_sync(0xffffffffu, sum, step);
  }
  if (lane == 0) *out = sum;
}

const char* const script = R"(
buffer in int 32 = 2
buffer out int 1
launch reduce<<<1, 32>>>(in, out)
expect out[0] == 64
)";
MAIN(KERNEL(reduce))
