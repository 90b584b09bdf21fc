// One thread allocates for the block, and all warps use one element.
// CLASS: intra-block global
#include "tests/cuda/host/common.h"

extern "C" __global__ void own(int* out) {
  __shared__ int* room;
  if (threadIdx.x == 0) room = static_cast<int*>(malloc(4));
  __syncthreads();
  if (threadIdx.x % 32 == 0) *room = threadIdx.x;  // RACE RACE
  __syncthreads();
  out[threadIdx.x] = *room;
}

const char* const script = R"(
buffer out int 64
launch own<<<1, 64>>>(out)
)";
MAIN(KERNEL(own))
