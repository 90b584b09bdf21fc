// The greatest value of all blocks by a block-wide atomicMax.
// CLASS: scoped-atomic global
#include "tests/cuda/host/common.h"

extern "C" __global__ void greatest(const int* data, int* most) {
  __shared__ int local;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x == 0) local = 0;
  __syncthreads();
  atomicMax_block(&local, data[i]);
  __syncthreads();
  if (threadIdx.x == 0) atomicMax_block(most, local);  // RACE RACE
}

const char* const script = R"(
buffer data int 128 = index
buffer most int 1
launch greatest<<<2, 64>>>(data, most)
)";
MAIN(KERNEL(greatest))
