// The barrier is outside of the branch.
#include "tests/cuda/host/common.h"

extern "C" __global__ void half(int* out) {
  __shared__ int tile[64];
  const int i = threadIdx.x;
  if (i < 48) {
    tile[i] = i;
  } else {
    tile[i] = atomicAdd(&out[i], 1) + i;
  }
  __syncthreads();
  out[i] = tile[63 - i];
}

const char* const script = R"(
buffer out int 64
launch half<<<1, 64>>>(out)
expect out[0] == 63
)";
MAIN(KERNEL(half))
