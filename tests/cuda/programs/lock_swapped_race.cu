// The critical section begins before the lock is taken.
// CLASS: lock global
#include "tests/cuda/host/common.h"

extern "C" __global__ void add(int* lock, int* sum) {
  const int mine = *sum;  // RACE
  while (atomicCAS(lock, 0, 1) != 0) {
  }
  __threadfence();
  *sum = mine + 1;  // RACE
  __threadfence();
  atomicExch(lock, 0);
}

const char* const script = R"(
buffer lock int 1
buffer sum int 1
launch add<<<4, 1>>>(lock, sum)
)";
MAIN(KERNEL(add))
