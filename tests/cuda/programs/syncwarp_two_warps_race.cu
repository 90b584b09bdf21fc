// __syncwarp between accesses of two warps: it orders only the lanes of one.
// CLASS: intra-block shared
#include "tests/cuda/host/common.h"

extern "C" __global__ void pass(int* out) {
  __shared__ int tile[64];
  const int i = threadIdx.x;
  tile[i] = i;  // RACE
  __syncwarp();
  out[i] = tile[(i + 32) % 64];  // RACE
}

const char* const script = R"(
buffer out int 64
launch pass<<<1, 64>>>(out)
)";
MAIN(KERNEL(pass))
