// Work stealing: items are pushed, then a fence, then the tail moves.
#include "tests/cuda/host/common.h"

extern "C" __global__ void steal(int* items, int* tail, int* out) {
  if (blockIdx.x == 0) {
#pragma unroll 1
    for (int i = 0; i < 4; ++i) {
      items[i] = i + 1;
      __threadfence();
      atomicAdd(tail, 1);
    }
  } else {
    while (atomicAdd(tail, 0) < 4) {
    }
    __threadfence();
    *out = items[0] + items[3];
  }
}

const char* const script = R"(
buffer items int 4
buffer tail int 1
buffer out int 1
launch steal<<<2, 1>>>(items, tail, out)
expect out[0] == 5
)";
MAIN(KERNEL(steal))
