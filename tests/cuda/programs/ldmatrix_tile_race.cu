// Inline PTX: ldmatrix reads rows that the other warp fills at the same time.
// CLASS: intra-block shared
#include "tests/cuda/host/common.h"

extern "C" __global__ void rows(unsigned* out) {
  __shared__ __align__(16) unsigned tile[64];
  const int i = threadIdx.x;
  tile[i] = i;  // RACE
  const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(tile + i % 16 * 4));
  unsigned a, b;
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];" : "=r"(a), "=r"(b) : "r"(at) : "memory");  // RACE
  out[i] = a + 100 * b;
}

const char* const script = R"(
buffer out uint 64
launch rows<<<1, 64>>>(out)
)";
MAIN(KERNEL(rows))
