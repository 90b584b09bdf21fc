// The upper half of a warp reads what the lower half wrote, after __syncwarp.
#include "tests/cuda/host/common.h"

extern "C" __global__ void halves(int* data, int* out) {
  const int lane = threadIdx.x;
  if (lane < 16) {
    data[lane] = lane;
  }
  __syncwarp();
  if (lane >= 16) {
    out[lane] = data[lane - 16];
  }
}

const char* const script = R"(
buffer data int 16
buffer out int 32
launch halves<<<1, 32>>>(data, out)
expect out[31] == 15
)";
MAIN(KERNEL(halves))
