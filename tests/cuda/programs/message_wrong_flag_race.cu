// The consumer waits for the flag of another producer.
// CLASS: inter-block global
#include "tests/cuda/host/common.h"

extern "C" __global__ void pass(int* data, int* flag, int* out) {
  if (blockIdx.x < 2) {
    data[blockIdx.x] = 40 + blockIdx.x;  // RACE
    __threadfence();
    atomicExch(&flag[blockIdx.x], 1);
  } else {
    while (atomicAdd(&flag[0], 0) == 0) {
    }
    __threadfence();
    *out = data[1];  // RACE
  }
}

const char* const script = R"(
buffer data int 2
buffer flag int 2
buffer out int 1
launch pass<<<3, 1>>>(data, flag, out)
)";
MAIN(KERNEL(pass))
