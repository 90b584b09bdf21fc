// Heat on a plate, after Rodinia's hotspot: tiles with a rim in shared memory, two steps for each launch. Whole numbers, so that the check
// against single steps in global memory is exact. Racy twin: no barrier between the two steps.
// VARIANTS: racy=-DRACY
#include "tests/cuda/host/common.h"

constexpr int kTile = 16;

__device__ int flow(int middle, int up, int down, int left, int right, int power) {
  return (4 * middle + up + down + left + right) / 8 + power;
}

extern "C" __global__ void heat(const int* from, int* to, const int* power, int n) {
  __shared__ int tile[kTile][kTile], next[kTile][kTile];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int x = (blockIdx.x * (kTile - 4) + tx + n - 2) % n, y = (blockIdx.y * (kTile - 4) + ty + n - 2) % n;
  const int p = power[y * n + x];
  tile[ty][tx] = from[y * n + x];
  __syncthreads();
  if (tx >= 1 && ty >= 1 && tx < kTile - 1 && ty < kTile - 1)
    next[ty][tx] = flow(tile[ty][tx], tile[ty - 1][tx], tile[ty + 1][tx], tile[ty][tx - 1], tile[ty][tx + 1], p);  // RACE
#ifndef RACY
  __syncthreads();
#endif
  if (tx >= 2 && ty >= 2 && tx < kTile - 2 && ty < kTile - 2)
    to[y * n + x] = flow(next[ty][tx], next[ty - 1][tx], next[ty + 1][tx], next[ty][tx - 1], next[ty][tx + 1], p);  // RACE
}

extern "C" __global__ void once(const int* from, int* to, const int* power, int n) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  const int up = (y + n - 1) % n, down = (y + 1) % n, left = (x + n - 1) % n, right = (x + 1) % n;
  to[y * n + x] = flow(from[y * n + x], from[up * n + x], from[down * n + x], from[y * n + left], from[y * n + right], power[y * n + x]);
}

extern "C" __global__ void differ(const int* a, const int* b, int* errors) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (a[i] != b[i]) atomicAdd(errors, 1);
}

const char* const script = R"(
let n = 192
let rounds = 4
buffer a int n * n = hash 1000
buffer b int n * n
buffer c int n * n = hash 1000
buffer d int n * n
buffer power int n * n = hash 3
buffer errors int 1
repeat rounds
launch heat<<<{n / 12, n / 12}, {16, 16}>>>(a, b, power, n)
launch heat<<<{n / 12, n / 12}, {16, 16}>>>(b, a, power, n)
end
repeat 2 * rounds
launch once<<<{n / 16, n / 16}, {16, 16}>>>(c, d, power, n)
launch once<<<{n / 16, n / 16}, {16, 16}>>>(d, c, power, n)
end
launch differ<<<n * n / 256, 256>>>(a, c, errors)
expect errors[0] == 0
)";
MAIN(KERNEL(heat), KERNEL(once), KERNEL(differ))
