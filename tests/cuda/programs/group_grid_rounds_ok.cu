// Cooperative groups: the grid synchronises after reading and after writing.
#include <cooperative_groups.h>

#include "tests/cuda/host/common.h"

namespace cg = cooperative_groups;
extern "C" __global__ void rotate(int* data) {
  const cg::grid_group grid = cg::this_grid();
  const int i = grid.thread_rank();
#pragma unroll 1
  for (int round = 0; round < 2; ++round) {
    const int next = data[(i + 32) % 64];
    grid.sync();
    data[i] = next;
    grid.sync();
  }
}

const char* const script = R"(
buffer data int 64 = index
launch cooperative rotate<<<2, 32>>>(data)
expect data == index
)";
MAIN(KERNEL(rotate))
