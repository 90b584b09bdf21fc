// Two blocks write elements of their own.
#include "tests/cuda/host/common.h"

extern "C" __global__ void fill(int* data) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  data[i] = blockIdx.x + 1;
}

const char* const script = R"(
buffer data int 128
launch fill<<<2, 64>>>(data)
expect data[0] == 1
expect data[127] == 2
)";
MAIN(KERNEL(fill))
