// A barrier of all blocks where only the leader has fences, around the counter: what a block barrier gathers a fence passes on.
#include "tests/cuda/host/common.h"

__device__ void all_blocks(int* count, int blocks) {
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    atomicAdd(count, 1);
    while (atomicAdd(count, 0) < blocks) {
    }
    __threadfence();
  }
  __syncthreads();
}
extern "C" __global__ void exchange(int* data, int* count, int* out) {
  const int i = threadIdx.x;
  if (i >= 32) data[blockIdx.x * 64 + i] = blockIdx.x + 1;
  all_blocks(count, gridDim.x);
  if (i >= 32) out[blockIdx.x * 64 + i] = data[(1 - blockIdx.x) * 64 + i];
}

const char* const script = R"(
buffer data int 128
buffer count int 1
buffer out int 128
launch exchange<<<2, 64>>>(data, count, out)
expect out[32] == 2
expect out[127] == 1
)";
MAIN(KERNEL(exchange))
