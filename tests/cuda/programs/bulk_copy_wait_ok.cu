// Inline PTX: a bulk copy into shared memory, and all wait for its mbarrier.
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
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 256, [%2];"
                 ::"r"(to), "l"(in), "r"(gate) : "memory");
  }
  unsigned done = 0;
  while (!done)
    asm volatile("{.reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], 0; selp.u32 %0, 1, 0, p;}"
                 : "=r"(done) : "r"(gate) : "memory");
  out[i] = tile[63 - i];
}

const char* const script = R"(
buffer in int 64 = index
buffer out int 64
launch fetch<<<1, 64>>>(in, out)
expect out[0] == 63
)";
MAIN(KERNEL(fetch))
