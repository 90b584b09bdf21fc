// A stencil in place: the first thread of a block reads what the last of the block before writes.
// CLASS: inter-block global
#include "tests/cuda/host/common.h"

extern "C" __global__ void average(const int* from, int* to, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i == 0 || (threadIdx.x != 0 && threadIdx.x != blockDim.x - 1)) return;
  const int left = from[i - 1];  // RACE
  to[i] = left + 1;              // RACE
}

const char* const script = R"(
buffer a int 128 = index
launch average<<<2, 64>>>(a, a, 128)
)";
MAIN(KERNEL(average))
