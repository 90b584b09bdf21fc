// The barrier comes between store and load.
#include "tests/cuda/host/common.h"

extern "C" __global__ void shift(int* data) {
  __shared__ int tile[64];
  const int i = threadIdx.x;
  const int mine = data[i];
  tile[i] = mine;
  __syncthreads();
  data[i] = tile[(i + 32) % 64];
}

const char* const script = R"(
buffer data int 64 = index
launch shift<<<1, 64>>>(data)
expect data[0] == 32
)";
MAIN(KERNEL(shift))
