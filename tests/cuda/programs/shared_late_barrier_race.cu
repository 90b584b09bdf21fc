// A loop fills the tile again before all have read it: the barrier at the end of the body is missing.
// CLASS: intra-block shared
#include "tests/cuda/host/common.h"

extern "C" __global__ void rounds(int* out) {
  __shared__ int tile[64];
  const int i = threadIdx.x;
  int sum = 0;
#pragma unroll 1
  for (int round = 0; round < 3; ++round) {
    tile[i] = i + round;  // RACE
    __syncthreads();
    sum += tile[(i + 32) % 64];  // RACE
  }
  out[i] = sum;
}

const char* const script = R"(
buffer out int 64
launch rounds<<<1, 64>>>(out)
)";
MAIN(KERNEL(rounds))
