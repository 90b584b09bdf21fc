// A thread that could not take the lock does something else.
#include "tests/cuda/host/common.h"

extern "C" __global__ void add(int* lock, int* sum, int* missed) {
  const bool mine = atomicCAS(lock, 0, 1) == 0;
  if (mine) {
    __threadfence();
    *sum = *sum + 1;
    __threadfence();
    atomicExch(lock, 0);
  } else {
    atomicAdd(missed, 1);
  }
}

const char* const script = R"(
buffer lock int 1
buffer sum int 1
buffer missed int 1
launch add<<<4, 1>>>(lock, sum, missed)
expect sum[0] >= 1
)";
MAIN(KERNEL(add))
