// At the centre of a texel a linear filter reads only that one, and its neighbours may be written.
#include "tests/cuda/host/common.h"

extern "C" __global__ void sample(cudaTextureObject_t from, cudaSurfaceObject_t to, float* out) {
  if (threadIdx.x >= 8) return;
  if (blockIdx.x == 0) {
    surf1Dwrite(100.0f, to, (2 * threadIdx.x + 1) * 4);
  } else {
    out[threadIdx.x] = tex1D<float>(from, 2 * threadIdx.x + 0.5f);
  }
}

const char* const script = R"(
image row float 16 0 = index
buffer out float 8
texture t row linear clamp
surface s row
launch sample<<<2, 32>>>(t, s, out)
expect row[1] == 100
expect row[2] == 2
expect out[0] == 0
expect out[7] == 14
)";
MAIN(KERNEL(sample))
