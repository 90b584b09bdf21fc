// Threads of a block draw over what others of it are drawing: the barrier comes too early.
// CLASS: intra-block global
#include "tests/cuda/host/common.h"

extern "C" __global__ void paint(cudaSurfaceObject_t image) {
  __shared__ int values[64];
  const int i = threadIdx.x;
  values[i] = i;
  __syncthreads();
  surf1Dwrite(i, image, i * 4);                           // RACE
  surf1Dwrite(values[63 - i], image, (i + 32) % 64 * 4);  // RACE
}

const char* const script = R"(
image pixels int 64 0
surface s pixels
launch paint<<<1, 64>>>(s)
expect sum(pixels) >= 1
)";
MAIN(KERNEL(paint))
