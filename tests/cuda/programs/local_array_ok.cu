// A scratch array for each thread, in local memory.
#include "tests/cuda/host/common.h"

extern "C" __global__ void scratch(const int* in, int* out, int n) {
  int room[8];
#pragma unroll 1
  for (int i = 0; i < 8; ++i) room[i] = in[i] + threadIdx.x;
  out[threadIdx.x] = room[n];
}

const char* const script = R"(
buffer in int 8 = index
buffer out int 64
launch scratch<<<1, 64>>>(in, out, 3)
expect out[10] == 13
)";
MAIN(KERNEL(scratch))
