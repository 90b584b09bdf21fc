// The barrier comes before the store that it should follow.
// CLASS: intra-block shared
#include "tests/cuda/host/common.h"

extern "C" __global__ void shift(int* data) {
  __shared__ int tile[64];
  const int i = threadIdx.x;
  const int mine = data[i];
  __syncthreads();
  tile[i] = mine;  // RACE
  data[i] = tile[(i + 32) % 64];  // RACE
}

const char* const script = R"(
buffer data int 64 = index
launch shift<<<1, 64>>>(data)
)";
MAIN(KERNEL(shift))
