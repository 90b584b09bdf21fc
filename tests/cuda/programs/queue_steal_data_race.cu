// Work stealing: items are pushed without a fence before the tail moves.
// CLASS: missing-fence global
#include "tests/cuda/host/common.h"

extern "C" __global__ void steal(int* items, int* tail, int* out) {
  if (blockIdx.x == 0) {
#pragma unroll 1
    for (int i = 0; i < 4; ++i) {
      items[i] = i + 1;  // RACE
      atomicAdd(tail, 1);
    }
  } else {
    while (atomicAdd(tail, 0) < 4) {
    }
    __threadfence();
    *out = items[0] + items[3];  // RACE
  }
}

const char* const script = R"(
buffer items int 4
buffer tail int 1
buffer out int 1
launch steal<<<2, 1>>>(items, tail, out)
)";
MAIN(KERNEL(steal))
