// ScoR's GCON: connected components by a union-find forest; blocks take edges from their own queue, then steal.
// Races, each an atomic of block scope or none: 1 taking one's own work, 2 stealing, 3 joining two trees, 4 looking for a root, 5 counting joins.
// VARIANTS: r1=-DRACE=1 r2=-DRACE=2 r3=-DRACE=3 r4=-DRACE=4 r5=-DRACE=5
#include "tests/cuda/host/common.h"
#include "scor.h"

constexpr int kChunk = 32;

__device__ int root(int* parents, int v) {
  for (;;) {
    const int up = IS(4) ? static_cast<volatile int*>(parents)[v] : atomicAdd(&parents[v], 0);
    if (up == v) return v;
    v = up;
  }
}

extern "C" __global__ void start(int* parents) {
  parents[blockIdx.x * blockDim.x + threadIdx.x] = blockIdx.x * blockDim.x + threadIdx.x;
}

extern "C" __global__ void join(int* parents, int* heads, int* joins, int part) {
  for (int turn = 0; turn < gridDim.x; ++turn) {
    const int owner = (blockIdx.x + turn) % gridDim.x;
    for (;;) {
      int first = 0;
      if (threadIdx.x == 0) {
        if (turn == 0) {
          first = IS(1) ? atomicAdd_block(&heads[owner], kChunk) : atomicAdd(&heads[owner], kChunk);
        } else {
          first = IS(2) ? atomicAdd_block(&heads[owner], kChunk) : atomicAdd(&heads[owner], kChunk);
        }
      }
      first = __shfl_sync(0xffffffffu, first, 0);
      if (first >= part) break;
      const int edge = owner * part + first + threadIdx.x;
      int a = edge, b = static_cast<int>((edge * 2654435761u >> 8) % (edge + 1));
      for (;;) {
        a = root(parents, a);
        b = root(parents, b);
        if (a == b) break;
        const int low = a < b ? a : b, high = a < b ? b : a;
        const int was = IS(3) ? atomicCAS_block(&parents[high], high, low) : atomicCAS(&parents[high], high, low);
        if (was == high) break;
      }
      if (threadIdx.x == 0) IS(5) ? atomicAdd_block(joins, kChunk) : atomicAdd(joins, kChunk);
    }
  }
}

const char* const script = R"(
let n = 2048
let blocks = 8
buffer parents int n
buffer heads int blocks
buffer joins int 1
launch start<<<n / 64, 64>>>(parents)
launch join<<<blocks, 32>>>(parents, heads, joins, n / blocks)
)";
MAIN(KERNEL(start), KERNEL(join))
