// The sum in shared memory is read while other warps still add to it.
// CLASS: intra-block shared
#include "tests/cuda/host/common.h"

extern "C" __global__ void sum(const int* in, int* out) {
  __shared__ int total;
  if (threadIdx.x == 0) total = 0;
  __syncthreads();
  atomicAdd_block(&total, in[threadIdx.x]);  // RACE
  if (threadIdx.x == 64) *out = total;  // RACE
}

const char* const script = R"(
buffer in int 128 = 1
buffer out int 1
launch sum<<<1, 128>>>(in, out)
)";
MAIN(KERNEL(sum))
