// Cooperative groups: the whole warp synchronises.
#include <cooperative_groups.h>

#include "tests/cuda/host/common.h"

namespace cg = cooperative_groups;
extern "C" __global__ void cross(int* out) {
  __shared__ int box[16];
  const auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  const int lane = threadIdx.x;
  if (lane < 16) box[lane] = lane;
  tile.sync();
  if (lane >= 16) out[lane - 16] = box[31 - lane];
}

const char* const script = R"(
buffer out int 16
launch cross<<<1, 32>>>(out)
expect out[0] == 15
)";
MAIN(KERNEL(cross))
