// A lock between the warps of a block with fences as wide as a block.
#include "tests/cuda/host/common.h"

extern "C" __global__ void add(int* lock, int* sum) {
  if (threadIdx.x % 32 != 0) return;
  while (atomicCAS(lock, 0, 1) != 0) {
  }
  __threadfence_block();
  *sum = *sum + 1;
  __threadfence_block();
  atomicExch(lock, 0);
}

const char* const script = R"(
buffer lock int 1
buffer sum int 1
launch add<<<1, 128>>>(lock, sum)
expect sum[0] == 4
)";
MAIN(KERNEL(add))
