// Fences on both sides and no flag: fences alone order nothing between threads.
// CLASS: inter-block global
#include "tests/cuda/host/common.h"

extern "C" __global__ void first(int* data, int* out) {
  if (blockIdx.x == 0) {
    *data = 42;  // RACE
    __threadfence();
  } else {
    __threadfence();
    *out = *data;  // RACE
  }
}

const char* const script = R"(
buffer data int 1
buffer out int 1
launch first<<<2, 1>>>(data, out)
)";
MAIN(KERNEL(first))
