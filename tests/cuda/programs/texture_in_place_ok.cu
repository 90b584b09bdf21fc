// A blur that reads through a texture and writes elsewhere.
#include "tests/cuda/host/common.h"

extern "C" __global__ void blur(cudaTextureObject_t from, int* to, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int other = tex1Dfetch<int>(from, (i + 32) % n);
  to[i] = other + 1;
}

const char* const script = R"(
buffer data int 64 = index
buffer out int 64
texture t data
launch blur<<<2, 32>>>(t, out, 64)
expect out[0] == 33
expect out[63] == 32
expect data == index
)";
MAIN(KERNEL(blur))
