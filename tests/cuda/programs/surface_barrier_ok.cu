// Threads of a block draw over what others of it have drawn, after a barrier.
#include "tests/cuda/host/common.h"

extern "C" __global__ void paint(cudaSurfaceObject_t image) {
  __shared__ int values[64];
  const int i = threadIdx.x;
  values[i] = i;
  surf1Dwrite(i, image, i * 4);
  __syncthreads();
  surf1Dwrite(values[63 - i], image, (i + 32) % 64 * 4);
}

const char* const script = R"(
image pixels int 64 0
surface s pixels
launch paint<<<1, 64>>>(s)
expect pixels[32] == 63
expect pixels[0] == 31
)";
MAIN(KERNEL(paint))
