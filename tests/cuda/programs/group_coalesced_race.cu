// Cooperative groups: the lanes of a branch write, those of the other branch read.
// CLASS: intra-warp shared
#include <cooperative_groups.h>

#include "tests/cuda/host/common.h"

namespace cg = cooperative_groups;
extern "C" __global__ void branch(int* out) {
  __shared__ int box[32];
  const int lane = threadIdx.x;
  if (lane % 2 == 0) {
    const auto even = cg::coalesced_threads();
    if (even.thread_rank() < 8) box[lane] = lane;  // RACE
    even.sync();
  }
  if (lane % 2 == 1) out[lane] = box[lane - 1];  // RACE
}

const char* const script = R"(
buffer out int 32
launch branch<<<1, 32>>>(out)
)";
MAIN(KERNEL(branch))
