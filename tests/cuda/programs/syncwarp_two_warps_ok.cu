// __syncthreads between accesses of two warps.
#include "tests/cuda/host/common.h"

extern "C" __global__ void pass(int* out) {
  __shared__ int tile[64];
  const int i = threadIdx.x;
  tile[i] = i;
  __syncthreads();
  out[i] = tile[(i + 32) % 64];
}

const char* const script = R"(
buffer out int 64
launch pass<<<1, 64>>>(out)
expect out[0] == 32
)";
MAIN(KERNEL(pass))
