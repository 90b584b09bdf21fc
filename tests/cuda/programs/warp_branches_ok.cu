// The two sides of a branch write different places.
#include "tests/cuda/host/common.h"

extern "C" __global__ void sides(int* out) {
  __shared__ int place[2];
  const int lane = threadIdx.x;
  if (lane == 3) {
    place[0] = atomicAdd(&out[1], 1);
  } else if (lane == 4) {
    place[1] = atomicAdd(&out[2], 2) + 5;
  }
  __syncwarp();
  if (lane == 0) out[0] = place[0];
}

const char* const script = R"(
buffer out int 3
launch sides<<<1, 32>>>(out)
expect out[0] == 0
)";
MAIN(KERNEL(sides))
