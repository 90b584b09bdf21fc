// ScoR's R110: a cellular automaton whose blocks wait for their neighbours step by step.
// Races: 1 the step is published by a block-wide fence, 2 it is counted by an atomic of block scope.
// VARIANTS: r1=-DRACE=1 r2=-DRACE=2
#include "tests/cuda/host/common.h"
#include "scor.h"

extern "C" __global__ void evolve(volatile int* cells, int* steps, int n, int rounds) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int before = (blockIdx.x + gridDim.x - 1) % gridDim.x, after = (blockIdx.x + 1) % gridDim.x;
  for (int round = 0; round < rounds; ++round) {
    volatile int* const from = cells + round % 2 * n;
    volatile int* const to = cells + (1 - round % 2) * n;
    if (threadIdx.x < 2) {
      int* const other = &steps[threadIdx.x == 0 ? before : after];
      while (atomicAdd(other, 0) < round) {
      }
    }
    __syncthreads();
    __threadfence();
    const int left = from[(i + n - 1) % n], middle = from[i], right = from[(i + 1) % n];
    to[i] = 110 >> (4 * left + 2 * middle + right) & 1;
    fence(IS(1));
    __syncthreads();
    if (threadIdx.x == 0) IS(2) ? atomicAdd_block(&steps[blockIdx.x], 1) : atomicAdd(&steps[blockIdx.x], 1);
  }
}

const char* const script = R"(
let n = 1024
let rounds = 4
buffer cells int 2 * n = hash 2
buffer steps int n / 64
launch cooperative evolve<<<n / 64, 64>>>(cells, steps, n, rounds)
)";
MAIN(KERNEL(evolve))
