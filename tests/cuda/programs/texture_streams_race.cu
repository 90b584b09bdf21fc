// A kernel samples an image that a kernel in another stream is drawing.
// CLASS: host-device global
#include "tests/cuda/host/common.h"

extern "C" __global__ void draw(cudaSurfaceObject_t to) {
  surf2Dwrite(float(threadIdx.x), to, threadIdx.x * 4, blockIdx.x);  // RACE
}

extern "C" __global__ void sample(cudaTextureObject_t from, float* out) {
  const float x = (threadIdx.x + 1) / 32.0f;
  out[threadIdx.x] = tex2D<float>(from, x, 0.5f);  // RACE
}

const char* const script = R"(
image canvas float 32 2
buffer out float 32
texture t canvas linear wrap normalized
surface s canvas
stream a
stream b
event drawn
launch draw<<<2, 32, 0, a>>>(s)
record drawn on a
launch sample<<<1, 32, 0, b>>>(t, out)
sync device
expect canvas[33] == 1
expect out[31] >= 0
)";
MAIN(KERNEL(draw), KERNEL(sample))
