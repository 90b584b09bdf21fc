// Cooperative groups: the grid synchronises.
#include <cooperative_groups.h>

#include "tests/cuda/host/common.h"

namespace cg = cooperative_groups;
extern "C" __global__ void exchange(int* data, int* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  data[i] = i;
  cg::this_grid().sync();
  out[i] = data[127 - i];
}

const char* const script = R"(
buffer data int 128
buffer out int 128
launch cooperative exchange<<<2, 64>>>(data, out)
expect out[0] == 127
)";
MAIN(KERNEL(exchange))
