// A linked stack: a fence between the node's value and the push.
#include "tests/cuda/host/common.h"

extern "C" __global__ void stack(int* values, int* nexts, int* top, int* out) {
  if (blockIdx.x < 3) {
    const int node = blockIdx.x;
    values[node] = node + 1;
    int seen = atomicAdd(top, 0), old;
    do {
      old = seen;
      atomicExch(&nexts[node], old);
      __threadfence();
      seen = atomicCAS(top, old, node);
    } while (seen != old);
  } else {
    int node;
    while ((node = atomicAdd(top, 0)) < 0) {
    }
    __threadfence();
    *out = values[node];
  }
}

const char* const script = R"(
buffer values int 3
buffer nexts int 3
buffer top int 1 = -1
buffer out int 1
launch stack<<<4, 1>>>(values, nexts, top, out)
expect out[0] >= 1
)";
MAIN(KERNEL(stack))
