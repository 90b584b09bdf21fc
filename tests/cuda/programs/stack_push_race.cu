// A linked stack: a node is pushed without a fence after its value was written.
// CLASS: missing-fence global
#include "tests/cuda/host/common.h"

extern "C" __global__ void stack(int* values, int* nexts, int* top, int* out) {
  if (blockIdx.x < 3) {
    const int node = blockIdx.x;
    values[node] = node + 1;  // RACE
    int seen = atomicAdd(top, 0), old;
    do {
      old = seen;
      atomicExch(&nexts[node], old);
      seen = atomicCAS(top, old, node);
    } while (seen != old);
  } else {
    int node;
    while ((node = atomicAdd(top, 0)) < 0) {
    }
    __threadfence();
    *out = values[node];  // RACE
  }
}

const char* const script = R"(
buffer values int 3
buffer nexts int 3
buffer top int 1 = -1
buffer out int 1
launch stack<<<4, 1>>>(values, nexts, top, out)
)";
MAIN(KERNEL(stack))
