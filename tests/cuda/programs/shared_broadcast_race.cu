// Thread 0 writes a value for all, who read it at once.
// CLASS: intra-block shared
#include "tests/cuda/host/common.h"

extern "C" __global__ void broadcast(const int* in, int* out) {
  __shared__ int value;
  if (threadIdx.x == 0) value = in[0] + 1;  // RACE
  if (threadIdx.x >= 32) out[threadIdx.x] = value;  // RACE
}

const char* const script = R"(
buffer in int 1 = 4
buffer out int 96
launch broadcast<<<1, 96>>>(in, out)
)";
MAIN(KERNEL(broadcast))
