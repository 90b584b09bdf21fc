// The lanes of a warp store different values to one place in one instruction.
// CLASS: intra-warp global
#include "tests/cuda/host/common.h"

extern "C" __global__ void pick(int* out) {
  out[0] = threadIdx.x;  // RACE RACE
}

const char* const script = R"(
buffer out int 1
launch pick<<<1, 32>>>(out)
)";
MAIN(KERNEL(pick))
