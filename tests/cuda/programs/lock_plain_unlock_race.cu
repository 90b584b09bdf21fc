// A lock that is given back by a plain store.
// CLASS: lock global
#include "tests/cuda/host/common.h"

extern "C" __global__ void add(int* lock, int* sum) {
  if (threadIdx.x != 0) return;
  while (atomicCAS(lock, 0, 1) != 0) {  // RACE
  }
  __threadfence();
  *sum = *sum + 1;  // RACE2 RACE2
  __threadfence();
  *lock = 0;  // RACE RACE3 RACE3
}

const char* const script = R"(
buffer lock int 1
buffer sum int 1
launch add<<<4, 32>>>(lock, sum)
)";
MAIN(KERNEL(add))
