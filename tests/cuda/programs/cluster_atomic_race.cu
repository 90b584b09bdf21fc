// Blocks of a cluster add to one counter in shared memory by block-wide atomics.
// CLASS: scoped-atomic shared
// ARCH: 90
#include <cooperative_groups.h>

#include "tests/cuda/host/common.h"

namespace cg = cooperative_groups;
extern "C" __global__ void count(int* out) {
  __shared__ int total;
  const cg::cluster_group cluster = cg::this_cluster();
  if (threadIdx.x == 0) total = 0;
  cluster.sync();
  int* const first = cluster.map_shared_rank(&total, 0);
  atomicAdd_block(first, 1);  // RACE RACE
  cluster.sync();
  if (cluster.block_rank() == 0 && threadIdx.x == 0) *out = total;
}

const char* const script = R"(
buffer out int 1
launch cluster(2) count<<<2, 32>>>(out)
)";
MAIN(KERNEL(count))
