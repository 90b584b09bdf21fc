// Two warps write the two halves of the same words.
#include "tests/cuda/host/common.h"

extern "C" __global__ void halves(short* data, int* out) {
  const int i = threadIdx.x;
  if (i < 32) {
    data[2 * i] = static_cast<short>(i);
  } else {
    data[2 * (i - 32) + 1] = static_cast<short>(i);
  }
}

const char* const script = R"(
buffer data short 64
buffer out int 32
launch halves<<<1, 64>>>(data, out)
expect data[2] == 1
expect data[3] == 33
)";
MAIN(KERNEL(halves))
