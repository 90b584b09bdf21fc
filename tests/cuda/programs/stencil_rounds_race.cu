// A stencil iterated within one kernel, without a barrier between the rounds.
// CLASS: intra-block global
#include "tests/cuda/host/common.h"

extern "C" __global__ void heat(int* a, int* b, int rounds) {
  const int i = threadIdx.x;
#pragma unroll 1
  for (int round = 0; round < rounds; ++round) {
    int* const from = round % 2 ? b : a;
    int* const to = round % 2 ? a : b;
    const int other = from[(i + 32) % 64];  // RACE
    to[i] = from[i] + other;                // RACE
  }
}

const char* const script = R"(
buffer a int 64 = 1
buffer b int 64
launch heat<<<1, 64>>>(a, b, 3)
)";
MAIN(KERNEL(heat))
