// Each block has a counter and adds to it block-wide, but one block adds to its neighbour's as well.
// CLASS: scoped-atomic global
#include "tests/cuda/host/common.h"

extern "C" __global__ void count(int* counters) {
  atomicAdd_block(&counters[blockIdx.x], 1);  // RACE
  if (blockIdx.x == 1 && threadIdx.x == 0) atomicAdd(&counters[0], 1);  // RACE
}

const char* const script = R"(
buffer counters int 2
launch count<<<2, 32>>>(counters)
)";
MAIN(KERNEL(count))
