// Cooperative groups: a value crosses from one tile of 16 to the other, and each synchronises by itself.
// CLASS: intra-warp shared
#include <cooperative_groups.h>

#include "tests/cuda/host/common.h"

namespace cg = cooperative_groups;
extern "C" __global__ void cross(int* out) {
  __shared__ int box[16];
  const auto tile = cg::tiled_partition<16>(cg::this_thread_block());
  const int lane = threadIdx.x;
  if (lane < 16) box[lane] = lane;  // RACE
  tile.sync();
  if (lane >= 16) out[lane - 16] = box[31 - lane];  // RACE
}

const char* const script = R"(
buffer out int 16
launch cross<<<1, 32>>>(out)
)";
MAIN(KERNEL(cross))
