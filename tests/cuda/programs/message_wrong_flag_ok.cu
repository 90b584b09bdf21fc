// The consumer waits for the flag of the producer whose data it reads.
#include "tests/cuda/host/common.h"

extern "C" __global__ void pass(int* data, int* flag, int* out) {
  if (blockIdx.x < 2) {
    data[blockIdx.x] = 40 + blockIdx.x;
    __threadfence();
    atomicExch(&flag[blockIdx.x], 1);
  } else {
    while (atomicAdd(&flag[0], 0) == 0) {
    }
    __threadfence();
    *out = data[0];
  }
}

const char* const script = R"(
buffer data int 2
buffer flag int 2
buffer out int 1
launch pass<<<3, 1>>>(data, flag, out)
expect out[0] == 40
)";
MAIN(KERNEL(pass))
