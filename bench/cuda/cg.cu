// Conjugate gradients in one cooperative kernel: the grid synchronises between vector operations. The matrix is (2 + 1/4) on the diagonal and -1
// beside it. Checked by the residual. Racy twin: only the block synchronises before the product of matrix and direction.
// VARIANTS: racy=-DRACY
#include <cooperative_groups.h>

#include "tests/cuda/host/common.h"

namespace cg = cooperative_groups;
constexpr int kThreads = 128;

__device__ double matrix_row(const double* x, int i, int n) {
  return 2.25 * x[i] - (i > 0 ? x[i - 1] : 0) - (i + 1 < n ? x[i + 1] : 0);  // RACE
}

// Adds every block's part to a total that is zero.
__device__ void dot(double mine, double* total) {
  __shared__ double sums[kThreads / 32];
  for (int step = 16; step > 0; step /= 2) mine += __shfl_down_sync(0xffffffffu, mine, step);
  if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = mine;
  __syncthreads();
  if (threadIdx.x == 0) {
    double all = 0;
    for (int w = 0; w < kThreads / 32; ++w) all += sums[w];
    atomicAdd(total, all);
  }
  __syncthreads();
}

extern "C" __global__ void solve(const double* b, double* x, double* p, double* totals, int n, int rounds) {
  const cg::grid_group grid = cg::this_grid();
  const int i = grid.thread_rank();
  double residual = b[i];
  p[i] = residual;
  dot(residual * residual, &totals[0]);
  grid.sync();
  for (int round = 0; round < rounds; ++round) {
    const double old = totals[2 * round];
    const double product = matrix_row(p, i, n);
    dot(product * p[i], &totals[2 * round + 1]);
    grid.sync();
    const double alpha = old / totals[2 * round + 1];
    x[i] += alpha * p[i];
    residual -= alpha * product;
    dot(residual * residual, &totals[2 * round + 2]);
    grid.sync();
    p[i] = residual + totals[2 * round + 2] / old * p[i];  // RACE
#ifdef RACY
    cg::this_thread_block().sync();
#else
    grid.sync();
#endif
  }
}

extern "C" __global__ void check(const double* b, const double* x, int n, int* errors) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const double off = b[i] - matrix_row(x, i, n);
  if (!(off < 1e-6 && off > -1e-6)) atomicAdd(errors, 1);
}

const char* const script = R"(
let n = 2048
let rounds = 60
buffer b double n = hash 10
buffer x double n
buffer p double n
buffer totals double 2 * rounds + 2
buffer errors int 1
launch cooperative solve<<<n / 128, 128>>>(b, x, p, totals, n, rounds)
launch check<<<n / 128, 128>>>(b, x, n, errors)
expect errors[0] == 0
)";
MAIN(KERNEL(solve), KERNEL(check))
