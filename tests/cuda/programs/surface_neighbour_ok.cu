// One kernel writes a surface, the next one reads it: what a kernel writes, only later ones may read.
#include "tests/cuda/host/common.h"

extern "C" __global__ void fill(cudaSurfaceObject_t image) {
  surf1Dwrite(int(threadIdx.x) + 1, image, threadIdx.x * 4);
}

extern "C" __global__ void shift(cudaSurfaceObject_t image, int* out) {
  const int i = threadIdx.x;
  out[i] = surf1Dread<int>(image, (i + 32) % 64 * 4);
}

const char* const script = R"(
image pixels int 64 0
buffer out int 64
surface s pixels
launch fill<<<1, 64>>>(s)
launch shift<<<1, 64>>>(s, out)
expect pixels[9] == 10
expect out[0] == 33
expect out[63] == 32
)";
MAIN(KERNEL(fill), KERNEL(shift))
