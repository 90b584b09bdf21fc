// Graph colouring with work stealing: each block colours the vertices of its own part in chunks, then steals chunks from the others
// (iGUARD, figure 1). Colours are guessed, conflicts found by a second kernel, and those vertices coloured again.
// Checked: no two neighbours have one colour. Racy twin: a block takes its own chunks by an atomic that is only block-wide.
// VARIANTS: racy=-DRACY
#include "tests/cuda/host/common.h"

constexpr int kDegree = 8, kChunk = 64;

extern "C" __global__ void connect(int* neighbours, int n) {
  const int steps[kDegree / 2] = {1, 17, 331, 1021};
  const int v = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < kDegree / 2; ++k) {
    neighbours[v * kDegree + 2 * k] = (v + steps[k]) % n;
    neighbours[v * kDegree + 2 * k + 1] = (v + n - steps[k]) % n;
  }
}

__device__ void colour(const int* neighbours, int* colours, int v) {
  if (atomicAdd(&colours[v], 0) != 0) return;
  unsigned used = 1;
  for (int k = 0; k < kDegree; ++k) used |= 1u << atomicAdd(&colours[neighbours[v * kDegree + k]], 0);
  atomicExch(&colours[v], __ffs(~used) - 1);
}

extern "C" __global__ void work(const int* neighbours, int* colours, int* heads, int part) {
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
      colour(neighbours, colours, owner * part + first + threadIdx.x);
    }
  }
}

extern "C" __global__ void conflicts(const int* neighbours, const int* colours, int* next, int* errors) {
  const int v = blockIdx.x * blockDim.x + threadIdx.x;
  int mine = colours[v];
  for (int k = 0; k < kDegree; ++k) {
    const int other = neighbours[v * kDegree + k];
    if (colours[other] == mine && other < v) mine = 0;
  }
  next[v] = mine;
  if (mine == 0) atomicAdd(errors, 1);
}

const char* const script = R"(
let n = 16384
let blocks = 8
buffer neighbours int n * 8
buffer colours int n
buffer next int n
buffer heads int blocks
buffer errors int 1
launch connect<<<n / 256, 256>>>(neighbours, n)
repeat 6
memset heads 0
memset errors 0
launch work<<<blocks, 64>>>(neighbours, colours, heads, n / blocks)
launch conflicts<<<n / 256, 256>>>(neighbours, colours, next, errors)
memset heads 0
memset errors 0
launch work<<<blocks, 64>>>(neighbours, next, heads, n / blocks)
launch conflicts<<<n / 256, 256>>>(neighbours, next, colours, errors)
end
expect errors[0] == 0
)";
MAIN(KERNEL(connect), KERNEL(work), KERNEL(conflicts))
