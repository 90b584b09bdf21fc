// __syncthreads_or is a barrier as well: what was written before is there after it.
#include "tests/cuda/host/common.h"

extern "C" __global__ void vote(int* out) {
  __shared__ int tile[64];
  const int i = threadIdx.x;
  tile[i] = i;
  const int any = __syncthreads_or(i == 3);
  out[i] = tile[(i + 32) % 64] + (any != 0);
}

const char* const script = R"(
buffer out int 64
launch vote<<<1, 64>>>(out)
expect out[0] == 33
)";
MAIN(KERNEL(vote))
