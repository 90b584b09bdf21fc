// Two blocks write the same elements.
// CLASS: inter-block global
#include "tests/cuda/host/common.h"

extern "C" __global__ void fill(int* data) {
  const int i = threadIdx.x;
  data[i] = blockIdx.x + 1;  // RACE RACE
}

const char* const script = R"(
buffer data int 128
launch fill<<<2, 64>>>(data)
)";
MAIN(KERNEL(fill))
