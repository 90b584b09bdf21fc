// Inline PTX: the tile is overwritten while a bulk copy may still read it.
// CLASS: async-copy shared
// ARCH: 90
#include "tests/cuda/host/common.h"

extern "C" __global__ void send(int* out) {
  __shared__ __align__(16) int tile[64];
  const unsigned from = static_cast<unsigned>(__cvta_generic_to_shared(tile));
  const int i = threadIdx.x;
  tile[i] = i;
  asm volatile("fence.proxy.async;" ::: "memory");
  __syncthreads();
  if (i == 0) {
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 256;" ::"l"(out), "r"(from) : "memory");  // RACE
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
  }
  __syncthreads();
  tile[i] = -i;  // RACE
  __syncthreads();
  out[64 + i] = tile[63 - i];
}

const char* const script = R"(
buffer out int 128
launch send<<<1, 64>>>(out)
)";
MAIN(KERNEL(send))
