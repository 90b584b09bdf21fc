// A barrier before shared memory is used for something else.
#include "tests/cuda/host/common.h"

extern "C" __global__ void twice(const int* in, int* out) {
  __shared__ int room[64];
  const int i = threadIdx.x;
  room[i] = in[i];
  __syncthreads();
  const int a = room[(i + 32) % 64];
  __syncthreads();
  room[i] = 3 * i;
  __syncthreads();
  out[i] = a + room[63 - i];
}

const char* const script = R"(
buffer in int 64 = 1
buffer out int 64
launch twice<<<1, 64>>>(in, out)
expect out[0] == 190
)";
MAIN(KERNEL(twice))
