// Needleman-Wunsch: the best alignment of two sequences, tile by tile along diagonals (a launch for each), cell by cell along diagonals
// within a tile. After Rodinia's. Checked: every cell follows from its three neighbours. Racy twin: no barrier between diagonals.
// VARIANTS: racy=-DRACY
#include "tests/cuda/host/common.h"

constexpr int kTile = 64, kGap = 2;

__device__ int best(int corner, int up, int left, bool same) {
  const int step = corner + (same ? 3 : -1);
  const int gap = max(up, left) - kGap;
  return max(step, gap);
}

extern "C" __global__ void border(int* score, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i > n) return;
  score[i] = -kGap * i;
  score[i * (n + 1)] = -kGap * i;
}

extern "C" __global__ void tiles(const int* a, const int* b, int* score, int n, int diagonal) {
  __shared__ int tile[kTile + 1][kTile + 1];
  const int count = n / kTile, i = threadIdx.x;
  const int first = diagonal < count ? 0 : diagonal - count + 1;
  const int ty = first + blockIdx.x, tx = diagonal - ty;
  if (ty >= count || tx < 0) return;
  const int row = ty * kTile, column = tx * kTile, width = n + 1;
  tile[0][i + 1] = score[row * width + column + i + 1];
  tile[i + 1][0] = score[(row + i + 1) * width + column];
  if (i == 0) tile[0][0] = score[row * width + column];
  const int mine = a[row + i];
  __syncthreads();
#pragma unroll 1
  for (int d = 0; d < 2 * kTile - 1; ++d) {
    const int x = d - i;
    if (x >= 0 && x < kTile)
      tile[i + 1][x + 1] = best(tile[i][x], tile[i][x + 1], tile[i + 1][x], mine == b[column + x]);  // RACE RACE
#ifndef RACY
    __syncthreads();
#endif
  }
#ifdef RACY
  __syncthreads();
#endif
  for (int y = 0; y < kTile; ++y) score[(row + y + 1) * width + column + i + 1] = tile[y + 1][i + 1];
}

extern "C" __global__ void check(const int* a, const int* b, const int* score, int n, int* errors) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y, width = n + 1;
  const int* const at = &score[(y + 1) * width + x + 1];
  if (*at != best(at[-width - 1], at[-width], at[-1], a[y] == b[x])) atomicAdd(errors, 1);
}

const char* const script = R"(
let n = 512
buffer a int n = hash 4
buffer b int n = hash 4
buffer score int (n + 1) * (n + 1)
buffer errors int 1
launch border<<<n / 256 + 1, 256>>>(score, n)
repeat 2 * n / 64 - 1 as d
launch tiles<<<n / 64, 64>>>(a, b, score, n, d)
end
launch check<<<{n / 64, n}, 64>>>(a, b, score, n, errors)
expect errors[0] == 0
)";
MAIN(KERNEL(border), KERNEL(tiles), KERNEL(check))
