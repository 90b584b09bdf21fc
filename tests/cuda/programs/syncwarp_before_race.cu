// __syncwarp comes before the branch that writes.
// CLASS: intra-warp shared
#include "tests/cuda/host/common.h"

extern "C" __global__ void pass(const int* in, int* out) {
  __shared__ int head;
  const int lane = threadIdx.x;
  __syncwarp();
  if (lane == 0) head = in[0];  // RACE
  if (lane > 3) out[lane] = head + lane;  // RACE
}

const char* const script = R"(
buffer in int 1 = 6
buffer out int 32
launch pass<<<1, 32>>>(in, out)
)";
MAIN(KERNEL(pass))
