// Rule 110: a cellular automaton in one kernel. Blocks go on step by step, each waiting only for its two neighbours, by flags with
// fences. After ScoR's rule 110. Checked against one launch for every step. Racy twin: the fence is only as wide as a block.
// VARIANTS: racy=-DRACY
#include "tests/cuda/host/common.h"

__device__ int rule(int left, int middle, int right) {
  return 110 >> (4 * left + 2 * middle + right) & 1;
}

extern "C" __global__ void evolve(int* cells, int* steps, int n, int rounds) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int before = (blockIdx.x + gridDim.x - 1) % gridDim.x, after = (blockIdx.x + 1) % gridDim.x;
  for (int round = 0; round < rounds; ++round) {
    const int* const from = cells + round % 2 * n;
    int* const to = cells + (1 - round % 2) * n;
    if (threadIdx.x < 2) {
      int* const other = &steps[threadIdx.x == 0 ? before : after];
      while (atomicAdd(other, 0) < round) {
      }
      __threadfence();
    }
    __syncthreads();
    const int next = rule(from[(i + n - 1) % n], from[i], from[(i + 1) % n]);  // RACE
    to[i] = next;                                                               // RACE
#ifdef RACY
    __threadfence_block();
#else
    __threadfence();
#endif
    __syncthreads();
    if (threadIdx.x == 0) atomicExch(&steps[blockIdx.x], round + 1);
  }
}

extern "C" __global__ void once(const int* from, int* to, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  to[i] = rule(from[(i + n - 1) % n], from[i], from[(i + 1) % n]);
}

extern "C" __global__ void differ(const int* a, const int* b, int* errors) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (a[i] != b[i]) atomicAdd(errors, 1);
}

const char* const script = R"(
let n = 8192
let rounds = 40
buffer cells int 2 * n = hash 2
buffer steps int n / 256
buffer a int n = hash 2
buffer b int n
buffer errors int 1
launch cooperative evolve<<<n / 256, 256>>>(cells, steps, n, rounds)
repeat rounds / 2
launch once<<<n / 256, 256>>>(a, b, n)
launch once<<<n / 256, 256>>>(b, a, n)
end
launch differ<<<n / 256, 256>>>(cells, a, errors)
expect errors[0] == 0
)";
MAIN(KERNEL(evolve), KERNEL(once), KERNEL(differ))
