// A spin lock with both fences.
#include "tests/cuda/host/common.h"

extern "C" __global__ void add(int* lock, int* sum) {
  if (threadIdx.x != 0) return;
  while (atomicCAS(lock, 0, 1) != 0) {
  }
  __threadfence();
  *sum = *sum + 1;
  __threadfence();
  atomicExch(lock, 0);
}

const char* const script = R"(
buffer lock int 1
buffer sum int 1
launch add<<<4, 32>>>(lock, sum)
expect sum[0] == 4
)";
MAIN(KERNEL(add))
