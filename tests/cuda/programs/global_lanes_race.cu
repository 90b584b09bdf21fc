// The upper half of a warp reads what the lower half writes in a branch that only it takes.
// CLASS: intra-warp global
#include "tests/cuda/host/common.h"

extern "C" __global__ void halves(int* data, int* out) {
  const int lane = threadIdx.x;
  if (lane < 16) {
    data[lane] = lane;  // RACE
  }
  if (lane >= 16) {
    out[lane] = data[lane - 16];  // RACE
  }
}

const char* const script = R"(
buffer data int 16
buffer out int 32
launch halves<<<1, 32>>>(data, out)
)";
MAIN(KERNEL(halves))
