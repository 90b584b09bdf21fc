// A block arrives at the cluster's barrier before it has written.
// CLASS: inter-block shared
// ARCH: 90
#include <cooperative_groups.h>

#include "tests/cuda/host/common.h"

namespace cg = cooperative_groups;
extern "C" __global__ void split(int* out) {
  __shared__ int tile[32];
  const cg::cluster_group cluster = cg::this_cluster();
  const int rank = cluster.block_rank();
  cluster.barrier_arrive();
  tile[threadIdx.x] = rank + 1;  // RACE
  cluster.barrier_wait();
  out[rank * 32 + threadIdx.x] = cluster.map_shared_rank(tile, 1 - rank)[threadIdx.x];  // RACE
  cluster.sync();
}

const char* const script = R"(
buffer out int 64
launch cluster(2) split<<<2, 32>>>(out)
)";
MAIN(KERNEL(split))
