// A table in global memory is changed by one block while the others read it.
// CLASS: inter-block global
#include "tests/cuda/host/common.h"

__device__ int weights[4] = {1, 2, 3, 4};
extern "C" __global__ void apply(int* out) {
  if (blockIdx.x == 0) weights[2] = 7;  // RACE
  if (blockIdx.x > 0)
  out[blockIdx.x] = weights[2 + (out[blockIdx.x] & 1)];  // RACE
}

const char* const script = R"(
buffer out int 4
launch apply<<<4, 1>>>(out)
)";
MAIN(KERNEL(apply))
