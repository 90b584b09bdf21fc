// Inline PTX: a bulk copy into shared memory, read after a barrier that knows nothing of the copy.
// CLASS: async-copy shared
// ARCH: 90
#include "tests/cuda/host/common.h"

extern "C" __global__ void fetch(const int* in, int* out) {
  __shared__ __align__(16) int tile[64];
  __shared__ unsigned long long object;
  const unsigned gate = static_cast<unsigned>(__cvta_generic_to_shared(&object));
  const unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(tile));
  const int i = threadIdx.x;
  if (i == 0) asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(gate) : "memory");
  __syncthreads();
  if (i == 0) {
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], 256;" ::"r"(gate) : "memory");
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 256, [%2];" ::"r"(to), "l"(in), "r"(gate) : "memory");  // RACE
  }
  __syncthreads();
  out[i] = tile[63 - i];  // RACE
}

const char* const script = R"(
buffer in int 64 = index
buffer out int 64
launch fetch<<<1, 64>>>(in, out)
)";
MAIN(KERNEL(fetch))
