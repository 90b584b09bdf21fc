// Cooperative groups: the coalesced lanes of a branch synchronise and read each other's values.
#include <cooperative_groups.h>

#include "tests/cuda/host/common.h"

namespace cg = cooperative_groups;
extern "C" __global__ void branch(int* out) {
  __shared__ int box[32];
  const int lane = threadIdx.x;
  if (lane % 2 == 0) {
    const auto even = cg::coalesced_threads();
    if (even.thread_rank() < 8) box[lane] = lane;
    even.sync();
    if (even.thread_rank() >= 8) out[lane] = box[30 - lane];
  }
}

const char* const script = R"(
buffer out int 32
launch branch<<<1, 32>>>(out)
expect out[30] == 0
expect out[16] == 14
)";
MAIN(KERNEL(branch))
