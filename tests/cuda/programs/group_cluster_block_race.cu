// Blocks of a cluster synchronise each by itself, and write into the other's shared memory.
// CLASS: inter-block shared
// ARCH: 90
#include <cooperative_groups.h>

#include "tests/cuda/host/common.h"

namespace cg = cooperative_groups;
extern "C" __global__ void send(int* out) {
  __shared__ int inbox[32];
  const cg::cluster_group cluster = cg::this_cluster();
  const int rank = cluster.block_rank();
  cluster.sync();
  cluster.map_shared_rank(inbox, 1 - rank)[threadIdx.x] = rank + 7;  // RACE
  __syncthreads();
  out[rank * 32 + threadIdx.x] = inbox[threadIdx.x];  // RACE
  cluster.sync();
}

const char* const script = R"(
buffer out int 64
launch cluster(2) send<<<2, 32>>>(out)
)";
MAIN(KERNEL(send))
