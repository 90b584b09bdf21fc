// The two sides of a branch that parts a warp wait at different barriers.
// CLASS: barrier-divergence
#include "tests/cuda/host/common.h"

extern "C" __global__ void half(int* out) {
  __shared__ int tile[64];
  const int i = threadIdx.x;
  if (i < 48) {
    tile[i] = i;
    __syncthreads();  // RACE
  } else {
    tile[i] = atomicAdd(&out[i], 1) + i;
    __syncthreads();  // RACE
  }
  out[i] = tile[63 - i];
}

const char* const script = R"(
buffer out int 64
launch half<<<1, 64>>>(out)
)";
MAIN(KERNEL(half))
