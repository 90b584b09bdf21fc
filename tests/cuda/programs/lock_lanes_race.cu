// All lanes of a warp take the same lock one after the other, and give it back without a fence.
// CLASS: lock global
#include "tests/cuda/host/common.h"

extern "C" __global__ void add(int* lock, int* sum) {
  bool done = false;
  while (!done) {
    if (atomicCAS(lock, 0, 1) == 0) {
      __threadfence();
      *sum = *sum + 1;  // RACE RACE
      atomicExch(lock, 0);
      done = true;
    }
  }
}

const char* const script = R"(
buffer lock int 1
buffer sum int 1
launch add<<<2, 32>>>(lock, sum)
)";
MAIN(KERNEL(add))
