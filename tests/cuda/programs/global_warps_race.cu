// One warp reads what another warp of its block wrote, without a barrier.
// CLASS: intra-block global
#include "tests/cuda/host/common.h"

extern "C" __global__ void swap(int* data, int* out) {
  const int i = threadIdx.x;
  data[i] = i;  // RACE
  out[i] = data[63 - i];  // RACE
}

const char* const script = R"(
buffer data int 64
buffer out int 64
launch swap<<<1, 64>>>(data, out)
)";
MAIN(KERNEL(swap))
