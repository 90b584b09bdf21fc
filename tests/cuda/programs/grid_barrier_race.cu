// A barrier of all blocks by a counter, without fences.
// CLASS: missing-fence global
#include "tests/cuda/host/common.h"

__device__ void all_blocks(int* count, int blocks) {
  __syncthreads();
  if (threadIdx.x == 0) {
    atomicAdd(count, 1);
    while (atomicAdd(count, 0) < blocks) {
    }
  }
  __syncthreads();
}
extern "C" __global__ void exchange(int* data, int* count, int* out) {
  data[blockIdx.x * blockDim.x + threadIdx.x] = blockIdx.x + 1;  // RACE
  all_blocks(count, gridDim.x);
  const int other = (blockIdx.x + 1) % gridDim.x;
  out[blockIdx.x * blockDim.x + threadIdx.x] = data[other * blockDim.x + threadIdx.x];  // RACE
}

const char* const script = R"(
buffer data int 128
buffer count int 1
buffer out int 128
launch exchange<<<2, 64>>>(data, count, out)
)";
MAIN(KERNEL(exchange))
