// Half of a warp waits at a barrier that the other half passes by.
// CLASS: barrier-divergence
#include "tests/cuda/host/common.h"

extern "C" __global__ void half(int* out) {
  __shared__ int tile[64];
  const int i = threadIdx.x;
  tile[i] = i;
  if (i < 48) __syncthreads();  // RACE RACE
  out[i] = tile[i];
}

const char* const script = R"(
buffer out int 64
launch half<<<1, 64>>>(out)
)";
MAIN(KERNEL(half))
