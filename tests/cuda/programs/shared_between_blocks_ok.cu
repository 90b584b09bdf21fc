// Each block has its own shared memory, and its own place in global memory.
#include "tests/cuda/host/common.h"

extern "C" __global__ void own(int* out) {
  __shared__ int mine;
  if (threadIdx.x == 0) mine = blockIdx.x + 1;
  __syncthreads();
  if (threadIdx.x == 1) out[blockIdx.x] = mine;
}

const char* const script = R"(
buffer out int 2
launch own<<<2, 32>>>(out)
expect out[1] == 2
)";
MAIN(KERNEL(own))
