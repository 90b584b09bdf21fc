// One warp reads what another warp of its block wrote, after a barrier.
#include "tests/cuda/host/common.h"

extern "C" __global__ void swap(int* data, int* out) {
  const int i = threadIdx.x;
  data[i] = i;
  __syncthreads();
  out[i] = data[63 - i];
}

const char* const script = R"(
buffer data int 64
buffer out int 64
launch swap<<<1, 64>>>(data, out)
expect out[0] == 63
)";
MAIN(KERNEL(swap))
