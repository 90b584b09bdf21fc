// Connected components by a union-find forest without locks; edges are taken from queues, one for each block, with stealing.
// After ScoR's graph connectivity. Checked: both ends of every edge have one root, and the number of roots is right. Racy twin: a block
// takes its own edges by an atomic that is only block-wide.
// VARIANTS: racy=-DRACY
#include "tests/cuda/host/common.h"

constexpr int kChunk = 128;

// Edge e of component c joins c's vertex number e to another one before it: a tree, so that size vertices are one component.
__device__ int2 edge(int e, int size) {
  const int v = e % size;
  const unsigned mixed = (e * 2654435761u) >> 8;
  return make_int2(e, v == 0 ? e : e - v + static_cast<int>(mixed % v));
}

__device__ int root(int* parents, int v) {
  for (;;) {
    const int up = atomicAdd(&parents[v], 0);
    if (up == v) return v;
    v = up;
  }
}

__device__ void join(int* parents, int a, int b) {
  for (;;) {
    a = root(parents, a);
    b = root(parents, b);
    if (a == b) return;
    const int low = a < b ? a : b, high = a < b ? b : a;
    if (atomicCAS(&parents[high], high, low) == high) return;
  }
}

extern "C" __global__ void start(int* parents) {
  const int v = blockIdx.x * blockDim.x + threadIdx.x;
  parents[v] = v;
}

extern "C" __global__ void work(int* parents, int* heads, int part, int size) {
  __shared__ int from;
  for (int turn = 0; turn < gridDim.x; ++turn) {
    const int owner = (blockIdx.x + turn) % gridDim.x;
    for (;;) {
      if (threadIdx.x == 0) {
#ifdef RACY
        if (turn == 0) {
          from = atomicAdd_block(&heads[owner], kChunk);  // RACE
        } else {
          from = atomicAdd(&heads[owner], kChunk);  // RACE
        }
#else
        from = atomicAdd(&heads[owner], kChunk);
#endif
      }
      __syncthreads();
      const int first = from;
      __syncthreads();
      if (first >= part) break;
      const int2 ends = edge(owner * part + first + threadIdx.x, size);
      join(parents, ends.x, ends.y);
    }
  }
}

extern "C" __global__ void check(int* parents, int* roots, int* errors, int size) {
  const int v = blockIdx.x * blockDim.x + threadIdx.x;
  const int2 ends = edge(v, size);
  if (root(parents, ends.x) != root(parents, ends.y)) atomicAdd(errors, 1);
  if (atomicAdd(&parents[v], 0) == v) atomicAdd(roots, 1);
}

const char* const script = R"(
let n = 32768
let size = 512
let blocks = 8
buffer parents int n
buffer heads int blocks
buffer roots int 1
buffer errors int 1
launch start<<<n / 256, 256>>>(parents)
launch work<<<blocks, 128>>>(parents, heads, n / blocks, size)
launch check<<<n / 256, 256>>>(parents, roots, errors, size)
expect errors[0] == 0
expect roots[0] == n / size
)";
MAIN(KERNEL(start), KERNEL(work), KERNEL(check))
