// The mask of __syncwarp leaves out the lanes that read.
// CLASS: branch-ordering shared
#include "tests/cuda/host/common.h"

extern "C" __global__ void pass(int* out) {
  __shared__ int tile[8];
  const int lane = threadIdx.x;
  if (lane < 8) {
    tile[lane] = lane;  // RACE
    __syncwarp(0x000000ff);
  } else if (lane < 16) {
    __syncwarp(0x0000ff00);
    out[lane - 8] = tile[15 - lane];  // RACE
  }
}

const char* const script = R"(
buffer out int 8
launch pass<<<1, 32>>>(out)
)";
MAIN(KERNEL(pass))
