// A block writes, arrives at the cluster's barrier, and waits before it reads.
// ARCH: 90
#include <cooperative_groups.h>

#include "tests/cuda/host/common.h"

namespace cg = cooperative_groups;
extern "C" __global__ void split(int* out) {
  __shared__ int tile[32];
  const cg::cluster_group cluster = cg::this_cluster();
  const int rank = cluster.block_rank();
  tile[threadIdx.x] = rank + 1;
  cluster.barrier_arrive();
  cluster.barrier_wait();
  out[rank * 32 + threadIdx.x] = cluster.map_shared_rank(tile, 1 - rank)[threadIdx.x];
  cluster.sync();
}

const char* const script = R"(
buffer out int 64
launch cluster(2) split<<<2, 32>>>(out)
expect out[0] == 2
)";
MAIN(KERNEL(split))
