// A block of 40 threads has two warps: no barrier between them.
// CLASS: intra-block shared
#include "tests/cuda/host/common.h"

extern "C" __global__ void odd(int* out) {
  __shared__ int tile[40];
  const int i = threadIdx.x;
  if (i >= 32) tile[i] = i;  // RACE
  if (i < 8) out[i] = tile[39 - i];  // RACE
}

const char* const script = R"(
buffer out int 8
launch odd<<<1, 40>>>(out)
)";
MAIN(KERNEL(odd))
