// The critical section begins after the lock is taken.
#include "tests/cuda/host/common.h"

extern "C" __global__ void add(int* lock, int* sum) {
  while (atomicCAS(lock, 0, 1) != 0) {
  }
  __threadfence();
  const int mine = *sum;
  *sum = mine + 1;
  __threadfence();
  atomicExch(lock, 0);
}

const char* const script = R"(
buffer lock int 1
buffer sum int 1
launch add<<<4, 1>>>(lock, sum)
expect sum[0] == 4
)";
MAIN(KERNEL(add))
