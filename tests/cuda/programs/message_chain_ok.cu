// Three blocks in a chain, all fences as wide as the device: what the first wrote reaches the last.
#include "tests/cuda/host/common.h"

extern "C" __global__ void chain(int* data, int* flags, int* out) {
  if (blockIdx.x == 0) {
    *data = 42;
    __threadfence();
    atomicExch(&flags[0], 1);
  } else if (blockIdx.x == 1) {
    while (atomicAdd(&flags[0], 0) == 0) {
    }
    __threadfence();
    atomicExch(&flags[1], 1);
  } else {
    while (atomicAdd(&flags[1], 0) == 0) {
    }
    __threadfence();
    *out = *data;
  }
}

const char* const script = R"(
buffer data int 1
buffer flags int 2
buffer out int 1
launch chain<<<3, 1>>>(data, flags, out)
expect out[0] == 42
)";
MAIN(KERNEL(chain))
