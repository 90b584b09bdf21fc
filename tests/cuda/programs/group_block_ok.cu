// Cooperative groups: the block synchronises.
#include <cooperative_groups.h>

#include "tests/cuda/host/common.h"

namespace cg = cooperative_groups;
extern "C" __global__ void reverse(int* data) {
  __shared__ int tile[64];
  const cg::thread_block block = cg::this_thread_block();
  const int i = block.thread_rank();
  tile[i] = data[i];
  block.sync();
  data[i] = tile[63 - i];
}

const char* const script = R"(
buffer data int 64 = index
launch reverse<<<1, 64>>>(data)
expect data[0] == 63
)";
MAIN(KERNEL(reverse))
