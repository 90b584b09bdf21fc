// Lanes leave a loop at different times and meet at __syncwarp before reading.
#include "tests/cuda/host/common.h"

extern "C" __global__ void leave(int* out) {
  __shared__ int last[32];
  const int lane = threadIdx.x;
#pragma unroll 1
  for (int i = 0; i <= lane; ++i) last[lane] = i;
  __syncwarp();
  if (lane < 16) out[lane] = last[31 - lane];
}

const char* const script = R"(
buffer out int 16
launch leave<<<1, 32>>>(out)
expect out[0] == 31
)";
MAIN(KERNEL(leave))
