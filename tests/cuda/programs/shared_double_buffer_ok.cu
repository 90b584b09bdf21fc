// Double buffering: the next tile goes into the other buffer.
#include "tests/cuda/host/common.h"

extern "C" __global__ void stream(const int* in, int* out, int tiles) {
  __shared__ int tile[2][64];
  const int i = threadIdx.x;
  tile[0][i] = in[i];
  __syncthreads();
  int sum = 0;
#pragma unroll 1
  for (int t = 0; t < tiles - 1; ++t) {
    tile[(t + 1) % 2][i] = in[(t + 1) * 64 + i];
    sum += tile[t % 2][63 - i];
    __syncthreads();
  }
  out[i] = sum;
}

const char* const script = R"(
buffer in int 256 = 1
buffer out int 64
launch stream<<<1, 64>>>(in, out, 4)
expect out == 3
)";
MAIN(KERNEL(stream))
