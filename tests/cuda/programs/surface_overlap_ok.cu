// Two blocks write texels of a surface, each its own.
#include "tests/cuda/host/common.h"

extern "C" __global__ void paint(cudaSurfaceObject_t image) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  surf2Dwrite(int(blockIdx.x + 1), image, x * 4, 1);
}

const char* const script = R"(
image pixels int 64 2
surface s pixels
launch paint<<<2, 32>>>(s)
expect sum(pixels) == 96
expect pixels[64] == 1
expect pixels[127] == 2
)";
MAIN(KERNEL(paint))
