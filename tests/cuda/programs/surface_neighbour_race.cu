// A thread reads the texel that a thread of another warp writes, without waiting for it.
// CLASS: intra-block global
#include "tests/cuda/host/common.h"

extern "C" __global__ void shift(cudaSurfaceObject_t image, int* out) {
  const int i = threadIdx.x;
  surf1Dwrite(i + 1, image, i * 4);                    // RACE
  out[i] = surf1Dread<int>(image, (i + 32) % 64 * 4);  // RACE
}

const char* const script = R"(
image pixels int 64 0
buffer out int 64
surface s pixels
launch shift<<<1, 64>>>(s, out)
expect pixels[9] == 10
)";
MAIN(KERNEL(shift))
