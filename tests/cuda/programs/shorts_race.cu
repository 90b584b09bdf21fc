// A warp reads words of which another warp writes one half.
// CLASS: intra-block global
#include "tests/cuda/host/common.h"

extern "C" __global__ void halves(short* data, int* out) {
  const int i = threadIdx.x;
  if (i < 32) {
    data[2 * i] = static_cast<short>(i);  // RACE
  } else {
    out[i - 32] = reinterpret_cast<int*>(data)[i - 32];  // RACE
  }
}

const char* const script = R"(
buffer data short 64
buffer out int 32
launch halves<<<1, 64>>>(data, out)
)";
MAIN(KERNEL(halves))
