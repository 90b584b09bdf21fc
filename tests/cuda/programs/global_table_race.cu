// Every block reads a table, and one of them changes an entry of it.
// CLASS: inter-block global
#include "tests/cuda/host/common.h"

extern "C" __global__ void look_up(int* table, int* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i == 5) table[7] = 1;  // RACE
  if (blockIdx.x > 0) out[i] = table[i % 8];  // RACE
}

const char* const script = R"(
buffer table int 8 = index
buffer out int 128
launch look_up<<<4, 32>>>(table, out)
)";
MAIN(KERNEL(look_up))
