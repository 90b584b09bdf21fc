// ScoR's MM: slices of a matrix product, added up under a lock for each row of tiles. Blocks are warps; lane 0 takes the lock for its warp.
// Races: 1 the lock is taken with block scope, 2 given back with block scope, 3 a block-wide fence before giving it back, 4 added up without it, 5 no fence behind taking it.
// VARIANTS: r1=-DRACE=1 r2=-DRACE=2 r3=-DRACE=3 r4=-DRACE=4 r5=-DRACE=5
#include "tests/cuda/host/common.h"
#include "scor.h"

extern "C" __global__ void multiply(const int* a, const int* b, volatile int* c, int* locks, int n, int slices) {
  const int row = blockIdx.x / slices, slice = blockIdx.x % slices, size = n / slices;
  int sums[2] = {};
  for (int k = slice * size; k < (slice + 1) * size; ++k) {
    for (int j = 0; j < 2; ++j) sums[j] += a[row * n + k] * b[k * n + threadIdx.x + 32 * j];
  }
  int* const lock = &locks[row];
  if (threadIdx.x == 0 && !IS(4)) {
    while ((IS(1) ? atomicCAS_block(lock, 0, 1) : atomicCAS(lock, 0, 1)) != 0) {
    }
  }
  __syncwarp();
  if (!IS(5)) __threadfence();
  for (int j = 0; j < 2; ++j) {
    volatile int* const at = &c[row * n + threadIdx.x + 32 * j];
    *at = *at + sums[j];
  }
  fence(IS(3));
  __syncwarp();
  if (threadIdx.x == 0 && !IS(4)) IS(2) ? atomicExch_block(lock, 0) : atomicExch(lock, 0);
}

const char* const script = R"(
let n = 64
let slices = 4
buffer a int n * n = hash 10
buffer b int n * n = hash 7
buffer c int n * n
buffer locks int n
launch multiply<<<n * slices, 32>>>(a, b, c, locks, n, slices)
)";
MAIN(KERNEL(multiply))
