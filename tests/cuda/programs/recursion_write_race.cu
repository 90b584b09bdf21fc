// A recursive function leaves marks where the other warp's recursion leaves its own.
// CLASS: intra-block global
#include "tests/cuda/host/common.h"

__device__ __noinline__ void mark(int* marks, int node, int n, int value) {
  if (node >= n) return;
  marks[node] = value;  // RACE RACE
  mark(marks, 2 * node + 1, n, value);
}
extern "C" __global__ void marks(int* out) {
  if (threadIdx.x % 32 != 0) return;
  const int warp = threadIdx.x / 32;
  mark(out, 0, 8, warp + 1);
}

const char* const script = R"(
buffer out int 16
launch marks<<<1, 64>>>(out)
)";
MAIN(KERNEL(marks))
