// A block of a cluster reads the other's shared memory after cluster.sync, and stays until all have read.
// ARCH: 90
#include <cooperative_groups.h>

#include "tests/cuda/host/common.h"

namespace cg = cooperative_groups;
extern "C" __global__ void neighbours(int* out) {
  __shared__ int tile[32];
  const cg::cluster_group cluster = cg::this_cluster();
  const int rank = cluster.block_rank();
  tile[threadIdx.x] = rank + 1;
  cluster.sync();
  const int* const other = cluster.map_shared_rank(tile, 1 - rank);
  out[rank * 32 + threadIdx.x] = other[threadIdx.x];
  cluster.sync();
}

const char* const script = R"(
buffer out int 64
launch cluster(2) neighbours<<<2, 32>>>(out)
expect out[0] == 2
expect out[63] == 1
)";
MAIN(KERNEL(neighbours))
