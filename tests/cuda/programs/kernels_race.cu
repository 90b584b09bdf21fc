// What should be two kernels is one: blocks read what other blocks write.
// CLASS: inter-block global
#include "tests/cuda/host/common.h"

extern "C" __global__ void square(int* data) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  data[i] = i * i;
}
extern "C" __global__ void differ(const int* data, int* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = data[i + 1] - data[i];
}
extern "C" __global__ void together(int* data, int* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  data[i] = i * i;  // RACE
  __syncthreads();
  if (i < 63) out[i] = data[i + 1];  // RACE
}

const char* const script = R"(
buffer data int 64
buffer out int 64
launch square<<<2, 32>>>(data)
launch differ<<<1, 63>>>(data, out)
expect out[5] == 11
launch together<<<2, 32>>>(data, out)
)";
MAIN(KERNEL(square), KERNEL(differ), KERNEL(together))
