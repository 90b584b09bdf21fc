// A recursive sum over a tree: every thread has its own result.
#include "tests/cuda/host/common.h"

__device__ __noinline__ int sum(const int* tree, int node, int n) {
  if (node >= n) return 0;
  return tree[node] + sum(tree, 2 * node + 1, n) + sum(tree, 2 * node + 2, n);
}
extern "C" __global__ void sums(const int* tree, int n, int* out) {
  const int total = sum(tree, blockIdx.x, n);
  out[blockIdx.x] = total;
}

const char* const script = R"(
buffer tree int 15 = 1
buffer out int 3
launch sums<<<3, 1>>>(tree, 15, out)
expect out[0] == 15
expect out[2] == 7
)";
MAIN(KERNEL(sums))
