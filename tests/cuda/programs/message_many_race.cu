// All threads of a block write, one of them has a fence and raises the flag, without a barrier before.
// CLASS: inter-block global
#include "tests/cuda/host/common.h"

extern "C" __global__ void pass(int* data, int* flag, int* out) {
  const int i = threadIdx.x;
  if (blockIdx.x == 0) {
    if (i < 32) data[i] = i;  // RACE
    if (i == 32) {
      __threadfence();
      atomicExch(flag, 1);
    }
  } else if (i < 32) {
    while (atomicAdd(flag, 0) == 0) {
    }
    __threadfence();
    out[i] = data[31 - i];  // RACE
  }
}

const char* const script = R"(
buffer data int 32
buffer flag int 1
buffer out int 32
launch pass<<<2, 64>>>(data, flag, out)
)";
MAIN(KERNEL(pass))
