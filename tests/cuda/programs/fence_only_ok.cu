// Fences on both sides, and two kernels one after the other.
#include "tests/cuda/host/common.h"

extern "C" __global__ void first(int* data, int* out) {
  if (blockIdx.x == 0) {
    *data = 42;
    __threadfence();
  }
}
extern "C" __global__ void second(int* data, int* out) {
  __threadfence();
  *out = *data;
}

const char* const script = R"(
buffer data int 1
buffer out int 1
launch first<<<2, 1>>>(data, out)
launch second<<<1, 1>>>(data, out)
expect out[0] == 42
)";
MAIN(KERNEL(first), KERNEL(second))
