// The mask of __syncwarp has the lanes that write and those that read.
#include "tests/cuda/host/common.h"

extern "C" __global__ void pass(int* out) {
  __shared__ int tile[8];
  const int lane = threadIdx.x;
  if (lane < 8) {
    tile[lane] = lane;
    __syncwarp(0x0000ffff);
  } else if (lane < 16) {
    __syncwarp(0x0000ffff);
    out[lane - 8] = tile[15 - lane];
  }
}

const char* const script = R"(
buffer out int 8
launch pass<<<1, 32>>>(out)
expect out[0] == 7
)";
MAIN(KERNEL(pass))
