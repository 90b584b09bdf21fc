// Blocks believe that shared memory is common: they meet in global memory without order.
// CLASS: inter-block global
#include "tests/cuda/host/common.h"

extern "C" __global__ void own(int* out) {
  __shared__ int mine;
  if (threadIdx.x == 0) mine = blockIdx.x + 1;
  __syncthreads();
  if (threadIdx.x == 1) out[0] = mine;  // RACE RACE
}

const char* const script = R"(
buffer out int 2
launch own<<<2, 32>>>(out)
)";
MAIN(KERNEL(own))
