// A block of 40 threads has two warps: a barrier between them.
#include "tests/cuda/host/common.h"

extern "C" __global__ void odd(int* out) {
  __shared__ int tile[40];
  const int i = threadIdx.x;
  if (i >= 32) tile[i] = i;
  __syncthreads();
  if (i < 8) out[i] = tile[39 - i];
}

const char* const script = R"(
buffer out int 8
launch odd<<<1, 40>>>(out)
expect out[0] == 39
)";
MAIN(KERNEL(odd))
