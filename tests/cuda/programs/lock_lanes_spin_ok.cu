// Lanes spin for a lock that another lane of the warp holds: needs progress of diverged lanes.
#include "tests/cuda/host/common.h"

extern "C" __global__ void add(int* lock, int* sum) {
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
launch add<<<1, 32>>>(lock, sum)
expect sum[0] == 32
)";
MAIN(KERNEL(add))
