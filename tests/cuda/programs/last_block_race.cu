// The last block sums up what the others wrote before they counted themselves without a fence.
// CLASS: missing-fence global
#include "tests/cuda/host/common.h"

extern "C" __global__ void sum(const int* in, int* parts, unsigned* done, int* out) {
  __shared__ bool last;
  if (threadIdx.x == 0) {
    parts[blockIdx.x] = in[blockIdx.x];  // RACE
    last = atomicInc(done, gridDim.x) == gridDim.x - 1;
  }
  __syncthreads();
  if (last && threadIdx.x == 0) {
    int total = 0;
#pragma unroll 1
    for (int i = 0; i < gridDim.x; ++i) total += parts[i];  // RACE
    *out = total;
  }
}

const char* const script = R"(
buffer in int 4 = 5
buffer parts int 4
buffer done uint 1
buffer out int 1
launch sum<<<4, 32>>>(in, parts, done, out)
)";
MAIN(KERNEL(sum))
