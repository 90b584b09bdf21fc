// Two blocks protect the same sum by the same lock.
#include "tests/cuda/host/common.h"

extern "C" __global__ void add(int* locks, int* sum) {
  if (threadIdx.x != 0) return;
  int* const lock = &locks[0];
  while (atomicCAS(lock, 0, 1) != 0) {
  }
  __threadfence();
  *sum = *sum + 1;
  __threadfence();
  atomicExch(lock, 0);
}

const char* const script = R"(
buffer locks int 2
buffer sum int 1
launch add<<<2, 32>>>(locks, sum)
expect sum[0] == 2
)";
MAIN(KERNEL(add))
