// The sum in shared memory is read after a barrier.
#include "tests/cuda/host/common.h"

extern "C" __global__ void sum(const int* in, int* out) {
  __shared__ int total;
  if (threadIdx.x == 0) total = 0;
  __syncthreads();
  atomicAdd_block(&total, in[threadIdx.x]);
  __syncthreads();
  if (threadIdx.x == 64) *out = total;
}

const char* const script = R"(
buffer in int 128 = 1
buffer out int 1
launch sum<<<1, 128>>>(in, out)
expect out[0] == 128
)";
MAIN(KERNEL(sum))
