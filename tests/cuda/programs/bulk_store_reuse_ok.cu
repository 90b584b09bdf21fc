// Inline PTX: a bulk copy out of shared memory is waited for before the tile is used again.
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
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 256;" ::"l"(out), "r"(from) : "memory");
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
    asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
  }
  __syncthreads();
  tile[i] = -i;
  __syncthreads();
  out[64 + i] = tile[63 - i];
}

const char* const script = R"(
buffer out int 128
launch send<<<1, 64>>>(out)
expect out[63] == 63
)";
MAIN(KERNEL(send))
