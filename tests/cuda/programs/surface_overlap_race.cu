// Two blocks write the same texels of a surface.
// CLASS: inter-block global
#include "tests/cuda/host/common.h"

extern "C" __global__ void paint(cudaSurfaceObject_t image) {
  const int x = threadIdx.x;
  surf2Dwrite(int(blockIdx.x + 1), image, x * 4, 1);  // RACE RACE
}

const char* const script = R"(
image pixels int 64 2
surface s pixels
launch paint<<<2, 32>>>(s)
expect sum(pixels) >= 1
expect pixels[64] >= 1
)";
MAIN(KERNEL(paint))
