// Two-dimensional blocks whose tiles overlap by one column.
// CLASS: inter-block global
#include "tests/cuda/host/common.h"

extern "C" __global__ void tile(int* image, int width) {
  const int x = blockIdx.x * (blockDim.x - 1) + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  image[y * width + x] = x * y + blockIdx.x;  // RACE RACE
}

const char* const script = R"(
buffer image int 512
launch tile<<<{2, 2}, {16, 8}>>>(image, 32)
)";
MAIN(KERNEL(tile))
