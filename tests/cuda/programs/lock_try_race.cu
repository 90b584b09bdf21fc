// A thread that could not take the lock goes on as if it had.
// CLASS: lock global
#include "tests/cuda/host/common.h"

extern "C" __global__ void add(int* lock, int* sum, int* missed) {
  const bool mine = atomicCAS(lock, 0, 1) == 0 || blockIdx.x < 4;
  if (mine) {
    __threadfence();
    *sum = *sum + 1;  // RACE RACE
    __threadfence();
  } else {
    atomicAdd(missed, 1);
  }
}

const char* const script = R"(
buffer lock int 1
buffer sum int 1
buffer missed int 1
launch add<<<4, 1>>>(lock, sum, missed)
)";
MAIN(KERNEL(add))
