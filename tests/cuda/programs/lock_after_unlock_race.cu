// The sum is changed once more after the lock was given back.
// CLASS: inter-block global
#include "tests/cuda/host/common.h"

extern "C" __global__ void add(int* lock, int* sum) {
  while (atomicCAS(lock, 0, 1) != 0) {
  }
  __threadfence();
  __threadfence();
  atomicExch(lock, 0);
  sum[0] = sum[0] + 1;  // RACE RACE
}

const char* const script = R"(
buffer lock int 1
buffer sum int 1
launch add<<<2, 1>>>(lock, sum)
)";
MAIN(KERNEL(add))
