// All changes are made while the lock is held.
#include "tests/cuda/host/common.h"

extern "C" __global__ void add(int* lock, int* sum) {
  while (atomicCAS(lock, 0, 1) != 0) {
  }
  __threadfence();
  sum[0] = sum[0] + 1;
  __threadfence();
  atomicExch(lock, 0);
}

const char* const script = R"(
buffer lock int 1
buffer sum int 1
launch add<<<2, 1>>>(lock, sum)
expect sum[0] == 2
)";
MAIN(KERNEL(add))
