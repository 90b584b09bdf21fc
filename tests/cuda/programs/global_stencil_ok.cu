// A stencil from one buffer to another.
#include "tests/cuda/host/common.h"

extern "C" __global__ void average(const int* from, int* to, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i == 0 || (threadIdx.x != 0 && threadIdx.x != blockDim.x - 1)) return;
  const int left = from[i - 1];
  to[i] = left + 1;
}

const char* const script = R"(
buffer a int 128 = index
buffer b int 128
launch average<<<2, 64>>>(a, b, 128)
expect b[64] == 64
)";
MAIN(KERNEL(average))
