// A tile is written by rows and read by columns without a barrier.
// CLASS: intra-block shared
#include "tests/cuda/host/common.h"

extern "C" __global__ void transpose(const int* in, int* out) {
  __shared__ int tile[8][9];
  const int x = threadIdx.x, y = threadIdx.y;
  tile[y][x] = in[y * 8 + x];  // RACE
  out[y * 8 + x] = tile[x][y];  // RACE
}

const char* const script = R"(
buffer in int 64 = index
buffer out int 64
launch transpose<<<1, {8, 8}>>>(in, out)
)";
MAIN(KERNEL(transpose))
