// Thread 0 writes a value for all, who read it after the barrier.
#include "tests/cuda/host/common.h"

extern "C" __global__ void broadcast(const int* in, int* out) {
  __shared__ int value;
  if (threadIdx.x == 0) value = in[0] + 1;
  __syncthreads();
  if (threadIdx.x >= 32) out[threadIdx.x] = value;
}

const char* const script = R"(
buffer in int 1 = 4
buffer out int 96
launch broadcast<<<1, 96>>>(in, out)
expect out[32] == 5
)";
MAIN(KERNEL(broadcast))
