// The host copies a new image after the kernel that samples the old one.
#include "tests/cuda/host/common.h"

extern "C" __global__ void sample(cudaTextureObject_t from, int* out) {
  out[threadIdx.x] = tex2D<int>(from, threadIdx.x, 1.0f);
}

const char* const script = R"(
image frame int 32 2 = index
buffer out int 32
texture t frame
stream a
stream b
event sampled
launch sample<<<1, 32, 0, a>>>(t, out)
record sampled on a
await sampled on b
upload frame on b
sync device
expect out[1] == 33
expect frame == 0
)";
MAIN(KERNEL(sample))
