// All lanes of a warp take the same lock one after the other, each with its fences.
#include "tests/cuda/host/common.h"

extern "C" __global__ void add(int* lock, int* sum) {
  bool done = false;
  while (!done) {
    if (atomicCAS(lock, 0, 1) == 0) {
      __threadfence();
      *sum = *sum + 1;
      __threadfence();
      atomicExch(lock, 0);
      done = true;
    }
  }
}

const char* const script = R"(
buffer lock int 1
buffer sum int 1
launch add<<<2, 32>>>(lock, sum)
expect sum[0] == 64
)";
MAIN(KERNEL(add))
