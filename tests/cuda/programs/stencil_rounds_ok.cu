// A stencil iterated within one kernel of one block, with a barrier between the rounds.
#include "tests/cuda/host/common.h"

extern "C" __global__ void heat(int* a, int* b, int rounds) {
  const int i = threadIdx.x;
#pragma unroll 1
  for (int round = 0; round < rounds; ++round) {
    int* const from = round % 2 ? b : a;
    int* const to = round % 2 ? a : b;
    const int other = from[(i + 32) % 64];
    to[i] = from[i] + other;
    __syncthreads();
  }
}

const char* const script = R"(
buffer a int 64 = 1
buffer b int 64
launch heat<<<1, 64>>>(a, b, 3)
expect b == 8
)";
MAIN(KERNEL(heat))
