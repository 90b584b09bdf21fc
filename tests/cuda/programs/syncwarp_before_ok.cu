// __syncwarp comes after the branch that writes.
#include "tests/cuda/host/common.h"

extern "C" __global__ void pass(const int* in, int* out) {
  __shared__ int head;
  const int lane = threadIdx.x;
  if (lane == 0) head = in[0];
  __syncwarp();
  if (lane > 3) out[lane] = head + lane;
}

const char* const script = R"(
buffer in int 1 = 6
buffer out int 32
launch pass<<<1, 32>>>(in, out)
expect out[31] == 37
)";
MAIN(KERNEL(pass))
