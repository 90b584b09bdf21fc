// A table in constant memory.
#include "tests/cuda/host/common.h"

__constant__ int weights[4] = {1, 2, 3, 4};
extern "C" __global__ void apply(int* out) {
  out[blockIdx.x] = weights[2 + (out[blockIdx.x] & 1)];
}

const char* const script = R"(
buffer out int 4
launch apply<<<4, 1>>>(out)
expect out[3] == 3
)";
MAIN(KERNEL(apply))
