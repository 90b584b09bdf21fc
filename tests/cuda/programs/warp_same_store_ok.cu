// One lane of the warp stores.
#include "tests/cuda/host/common.h"

extern "C" __global__ void pick(int* out) {
  if (threadIdx.x == 7) out[0] = threadIdx.x;
}

const char* const script = R"(
buffer out int 1
launch pick<<<1, 32>>>(out)
expect out[0] == 7
)";
MAIN(KERNEL(pick))
