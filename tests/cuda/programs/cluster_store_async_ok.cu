// Inline PTX: a block stores into its neighbour with st.async, which waits for the bytes.
// ARCH: 90
#include <cooperative_groups.h>

#include "tests/cuda/host/common.h"

namespace cg = cooperative_groups;
extern "C" __global__ void __cluster_dims__(2, 1, 1) exchange(int* out) {
  __shared__ int tile[32];
  __shared__ unsigned long long object;
  const cg::cluster_group cluster = cg::this_cluster();
  const unsigned other = 1 - cluster.block_rank();
  const unsigned gate = static_cast<unsigned>(__cvta_generic_to_shared(&object));
  const unsigned own = static_cast<unsigned>(__cvta_generic_to_shared(tile + threadIdx.x));
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(gate) : "memory");
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], 128;" ::"r"(gate) : "memory");
  }
  cluster.sync();
  asm volatile(
      "{.reg .b32 a, g; mapa.shared::cluster.u32 a, %0, %2; mapa.shared::cluster.u32 g, %1, %2;"
      "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b32 [a], %3, [g];}"
      ::"r"(own), "r"(gate), "r"(other), "r"(threadIdx.x + 100 * other) : "memory");
  unsigned done = 0;
  while (!done)
    asm volatile("{.reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], 0; selp.u32 %0, 1, 0, p;}"
                 : "=r"(done) : "r"(gate) : "memory");
  out[blockIdx.x * 32 + threadIdx.x] = tile[threadIdx.x];
  cluster.sync();
}

const char* const script = R"(
buffer out int 64
launch exchange<<<2, 32>>>(out)
expect out[0] == 0
expect out[33] == 101
)";
MAIN(KERNEL(exchange))
