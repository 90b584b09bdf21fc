// Inline PTX: a tile is filled, a barrier, then ldmatrix reads it.
#include "tests/cuda/host/common.h"

extern "C" __global__ void rows(unsigned* out) {
  __shared__ __align__(16) unsigned tile[64];
  const int i = threadIdx.x;
  tile[i] = i;
  __syncthreads();
  const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(tile + i % 16 * 4));
  unsigned a, b;
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];" : "=r"(a), "=r"(b) : "r"(at) : "memory");
  out[i] = a + 100 * b;
}

const char* const script = R"(
buffer out uint 64
launch rows<<<1, 64>>>(out)
expect out[0] == 3200
expect out[63] == 6331
)";
MAIN(KERNEL(rows))
