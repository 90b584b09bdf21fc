// Two kernels in the default stream: the second starts when the first has ended.
#include "tests/cuda/host/common.h"

extern "C" __global__ void square(int* data) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  data[i] = i * i;
}
extern "C" __global__ void differ(const int* data, int* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = data[i + 1] - data[i];
}

const char* const script = R"(
buffer data int 64
buffer out int 64
launch square<<<2, 32>>>(data)
launch differ<<<1, 63>>>(data, out)
expect out[5] == 11
)";
MAIN(KERNEL(square), KERNEL(differ))
