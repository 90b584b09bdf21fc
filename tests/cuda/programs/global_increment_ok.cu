// Blocks count by an atomic increment.
#include "tests/cuda/host/common.h"

extern "C" __global__ void count(int* counter) {
  if (threadIdx.x == 0) {
    atomicAdd(counter, 1);
  }
}

const char* const script = R"(
buffer counter int 1
launch count<<<8, 32>>>(counter)
expect counter[0] == 8
)";
MAIN(KERNEL(count))
