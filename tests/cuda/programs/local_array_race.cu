// A scratch array of the block, meant to be one for each thread.
// CLASS: intra-block shared
#include "tests/cuda/host/common.h"

extern "C" __global__ void scratch(const int* in, int* out, int n) {
  __shared__ int room[8];
  if (threadIdx.x % 32 != 0) return;
#pragma unroll 1
  for (int i = 0; i < 8; ++i) room[i] = in[i] + threadIdx.x;  // RACE RACE
  __syncthreads();
  out[threadIdx.x] = room[n];
}

const char* const script = R"(
buffer in int 8 = index
buffer out int 64
launch scratch<<<1, 64>>>(in, out, 3)
)";
MAIN(KERNEL(scratch))
