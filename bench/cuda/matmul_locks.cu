// Matrix multiplication with locks: blocks multiply slices of the inner dimension, and add them to a tile of the result
// under the tile's lock, which thread 0 takes for its block. After ScoR's matrix multiplication.
// Checked as Freivalds does: C x = A (B x) for a vector x. Racy twin: the lock is chosen by slice, not by tile.
// VARIANTS: racy=-DRACY
#include "tests/cuda/host/common.h"

constexpr int kTile = 16;

extern "C" __global__ void multiply(const int* a, const int* b, int* c, int* locks, int n, int slice) {
  __shared__ int s[kTile][kTile], t[kTile][kTile];
  const int x = threadIdx.x, y = threadIdx.y;
  const int column = blockIdx.x * kTile + x, row = blockIdx.y * kTile + y;
  int sum = 0;
  for (int k = blockIdx.z * slice; k < (blockIdx.z + 1) * slice; k += kTile) {
    s[y][x] = a[row * n + k + x];
    t[y][x] = b[(k + y) * n + column];
    __syncthreads();
    for (int j = 0; j < kTile; ++j) sum += s[y][j] * t[j][x];
    __syncthreads();
  }
#ifdef RACY
  int* const lock = &locks[blockIdx.z];
#else
  int* const lock = &locks[blockIdx.y * gridDim.x + blockIdx.x];
#endif
  if (x == 0 && y == 0) {
    while (atomicCAS(lock, 0, 1) != 0) {
    }
  }
  __syncthreads();
  __threadfence();
  c[row * n + column] += sum;  // RACE RACE
  __threadfence();
  __syncthreads();
  if (x == 0 && y == 0) atomicExch(lock, 0);
}

extern "C" __global__ void times(const int* m, const int* x, int* y, int n) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  int sum = 0;
  for (int k = 0; k < n; ++k) sum += m[row * n + k] * x[k];
  y[row] = sum;
}

extern "C" __global__ void differ(const int* x, const int* y, int* errors) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (x[i] != y[i]) atomicAdd(errors, 1);
}

const char* const script = R"(
let n = 128
let slices = 4
buffer a int n * n = hash 10
buffer b int n * n = hash 7
buffer c int n * n
buffer locks int n * n / 256 + slices
buffer x int n = hash 5
buffer y int n
buffer left int n
buffer right int n
buffer errors int 1
launch multiply<<<{n / 16, n / 16, slices}, {16, 16}>>>(a, b, c, locks, n, n / slices)
launch times<<<n / 64, 64>>>(b, x, y, n)
launch times<<<n / 64, 64>>>(a, y, left, n)
launch times<<<n / 64, 64>>>(c, x, right, n)
launch differ<<<n / 64, 64>>>(left, right, errors)
expect errors[0] == 0
)";
MAIN(KERNEL(multiply), KERNEL(times), KERNEL(differ))
