// Tiled matrix multiplication with both barriers.
#include "tests/cuda/host/common.h"

extern "C" __global__ void multiply(const int* a, const int* b, int* c, int n) {
  __shared__ int s[8][8], t[8][8];
  const int x = threadIdx.x, y = threadIdx.y;
  int sum = 0;
#pragma unroll 1
  for (int k = 0; k < n; k += 8) {
    s[y][x] = a[y * n + k + x];
    t[y][x] = b[(k + y) * 8 + x];
    __syncthreads();
#pragma unroll 1
    for (int j = 0; j < 8; ++j) sum += s[y][j] * t[j][x];
    __syncthreads();
  }
  c[y * 8 + x] = sum;
}

const char* const script = R"(
buffer a int 128 = 1
buffer b int 128 = 2
buffer c int 64
launch multiply<<<1, {8, 8}>>>(a, b, c, 16)
expect c == 32
)";
MAIN(KERNEL(multiply))
