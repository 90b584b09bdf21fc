// A counter that others still change by atomics is read by a plain load.
// CLASS: inter-block global
#include "tests/cuda/host/common.h"

extern "C" __global__ void count(int* counter, int* out) {
  if (threadIdx.x == 0) {
    atomicAdd(counter, 1);  // RACE
    out[blockIdx.x] = *counter;  // RACE
  }
}

const char* const script = R"(
buffer counter int 1
buffer out int 8
launch count<<<8, 32>>>(counter, out)
)";
MAIN(KERNEL(count))
