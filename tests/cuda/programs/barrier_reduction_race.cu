// The block votes before the writes that the vote should follow.
// CLASS: intra-block shared
#include "tests/cuda/host/common.h"

extern "C" __global__ void vote(int* out) {
  __shared__ int tile[64];
  const int i = threadIdx.x;
  const int any = __syncthreads_or(i == 3);
  tile[i] = i;  // RACE
  out[i] = tile[(i + 32) % 64] + (any != 0);  // RACE
}

const char* const script = R"(
buffer out int 64
launch vote<<<1, 64>>>(out)
)";
MAIN(KERNEL(vote))
