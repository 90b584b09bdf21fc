// The greatest value of a block in shared memory, of all blocks by a device-wide atomicMax.
#include "tests/cuda/host/common.h"

extern "C" __global__ void greatest(const int* data, int* most) {
  __shared__ int local;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x == 0) local = 0;
  __syncthreads();
  atomicMax_block(&local, data[i]);
  __syncthreads();
  if (threadIdx.x == 0) atomicMax(most, local);
}

const char* const script = R"(
buffer data int 128 = index
buffer most int 1
launch greatest<<<2, 64>>>(data, most)
expect most[0] == 127
)";
MAIN(KERNEL(greatest))
