// A ticket lock whose holder calls the next one without a fence.
// CLASS: missing-fence global
#include "tests/cuda/host/common.h"

extern "C" __global__ void add(int* next, int* serving, int* sum) {
  const int mine = atomicAdd(next, 1);
  while (atomicAdd(serving, 0) != mine) {
  }
  __threadfence();
  *sum = *sum + 1;  // RACE RACE
  atomicAdd(serving, 1);
}

const char* const script = R"(
buffer next int 1
buffer serving int 1
buffer sum int 1
launch add<<<4, 1>>>(next, serving, sum)
)";
MAIN(KERNEL(add))
