// All blocks raise a flag with the same plain store: still no defined behaviour.
// CLASS: inter-block global
#include "tests/cuda/host/common.h"

extern "C" __global__ void raise(const int* data, int* found) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x == 3 && data[i] >= 0) {
    *found = 1;  // RACE RACE
  }
}

const char* const script = R"(
buffer data int 128 = index
buffer found int 1
launch raise<<<4, 32>>>(data, found)
expect found[0] == 1
)";
MAIN(KERNEL(raise))
