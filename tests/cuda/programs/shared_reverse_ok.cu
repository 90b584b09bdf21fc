// A block reverses a tile in shared memory with a barrier.
#include "tests/cuda/host/common.h"

extern "C" __global__ void reverse(int* data) {
  __shared__ int tile[64];
  const int i = threadIdx.x;
  tile[i] = data[i];
  __syncthreads();
  data[i] = tile[63 - i];
}

const char* const script = R"(
buffer data int 64 = index
launch reverse<<<1, 64>>>(data)
expect data[0] == 63
)";
MAIN(KERNEL(reverse))
