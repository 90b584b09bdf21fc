// The host copies a new image while a kernel in another stream samples the old one.
// CLASS: host-device global
#include "tests/cuda/host/common.h"

extern "C" __global__ void sample(cudaTextureObject_t from, int* out) {
  out[threadIdx.x] = tex2D<int>(from, threadIdx.x, 1.0f);  // RACE
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
upload frame on b  # RACE
sync device
expect out[1] >= 0
)";
MAIN(KERNEL(sample))
