// A block reverses a tile in shared memory without a barrier.
// CLASS: intra-block shared
#include "tests/cuda/host/common.h"

extern "C" __global__ void reverse(int* data) {
  __shared__ int tile[64];
  const int i = threadIdx.x;
  tile[i] = data[i];  // RACE
  data[i] = tile[63 - i];  // RACE
}

const char* const script = R"(
buffer data int 64 = index
launch reverse<<<1, 64>>>(data)
)";
MAIN(KERNEL(reverse))
