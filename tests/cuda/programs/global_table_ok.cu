// Every block reads a table that nobody changes.
#include "tests/cuda/host/common.h"

extern "C" __global__ void look_up(int* table, int* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (blockIdx.x > 0) out[i] = table[i % 8];
}

const char* const script = R"(
buffer table int 8 = index
buffer out int 128
launch look_up<<<4, 32>>>(table, out)
expect out[127] == 7
)";
MAIN(KERNEL(look_up))
