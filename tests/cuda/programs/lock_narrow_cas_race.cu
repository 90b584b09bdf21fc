// A lock between blocks that is taken by a block-wide compare-and-swap.
// CLASS: scoped-atomic global
#include "tests/cuda/host/common.h"

extern "C" __global__ void add(int* lock, int* sum) {
  if (threadIdx.x != 0) return;
  while (atomicCAS_block(lock, 0, 1) != 0) {  // RACE RACE3? RACE3?
  }
  __threadfence();
  *sum = *sum + 1;  // RACE2 RACE2
  __threadfence();
  atomicExch_block(lock, 0);  // RACE RACE4? RACE4?
}

const char* const script = R"(
buffer lock int 1
buffer sum int 1
launch add<<<4, 32>>>(lock, sum)
)";
MAIN(KERNEL(add))
