// Three blocks in a chain; the one in the middle passes on with a fence only as wide as its block.
// CLASS: scoped-fence global
#include "tests/cuda/host/common.h"

extern "C" __global__ void chain(int* data, int* flags, int* out) {
  if (blockIdx.x == 0) {
    *data = 42;  // RACE
    __threadfence();
    atomicExch(&flags[0], 1);
  } else if (blockIdx.x == 1) {
    while (atomicAdd(&flags[0], 0) == 0) {
    }
    __threadfence_block();
    atomicExch(&flags[1], 1);
  } else {
    while (atomicAdd(&flags[1], 0) == 0) {
    }
    __threadfence();
    *out = *data;  // RACE
  }
}

const char* const script = R"(
buffer data int 1
buffer flags int 2
buffer out int 1
launch chain<<<3, 1>>>(data, flags, out)
)";
MAIN(KERNEL(chain))
