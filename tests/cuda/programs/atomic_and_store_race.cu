// One block sets a counter to zero while others add to it.
// CLASS: inter-block global
#include "tests/cuda/host/common.h"

extern "C" __global__ void add(int* counter) {
  if (blockIdx.x == 0) {
    if (threadIdx.x == 0) *counter = 0;  // RACE
    return;
  }
  if (threadIdx.x == 0) atomicAdd(counter, 2);  // RACE
}

const char* const script = R"(
buffer counter int 1 = 100
memset counter 0
launch add<<<4, 32>>>(counter)
)";
MAIN(KERNEL(add))
