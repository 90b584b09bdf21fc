// A blur that reads through a texture the memory that it writes.
// CLASS: inter-block global
#include "tests/cuda/host/common.h"

extern "C" __global__ void blur(cudaTextureObject_t from, int* to, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int other = tex1Dfetch<int>(from, (i + 32) % n);  // RACE
  to[i] = other + 1;                                      // RACE
}

const char* const script = R"(
buffer data int 64 = index
texture t data
launch blur<<<2, 32>>>(t, data, 64)
expect data[0] >= 1
)";
MAIN(KERNEL(blur))
