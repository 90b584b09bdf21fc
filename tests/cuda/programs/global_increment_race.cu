// Blocks count by a plain increment.
// CLASS: inter-block global
#include "tests/cuda/host/common.h"

extern "C" __global__ void count(int* counter) {
  if (threadIdx.x == 0) {
    *counter = *counter + 1;  // RACE RACE
  }
}

const char* const script = R"(
buffer counter int 1
launch count<<<8, 32>>>(counter)
)";
MAIN(KERNEL(count))
