// Blocks draw layers of an image; two of them get the same one.
// CLASS: inter-block global
#include "tests/cuda/host/common.h"

extern "C" __global__ void draw(cudaSurfaceObject_t image) {
  const int layer = blockIdx.x / 2;
  surf2DLayeredwrite(layer + 1, image, threadIdx.x * 4, 1, layer);  // RACE RACE
}

extern "C" __global__ void sample(cudaTextureObject_t image, int* out) {
  out[threadIdx.x] = tex2DLayered<int>(image, 3.5f, 1.5f, threadIdx.x);
}

const char* const script = R"(
image stack int 32 2 3
buffer out int 3
surface s stack
texture t stack
launch draw<<<3, 32>>>(s)
launch sample<<<1, 3>>>(t, out)
expect out[0] == 1
expect out[1] == 2
expect out[2] == 0
)";
MAIN(KERNEL(draw), KERNEL(sample))
