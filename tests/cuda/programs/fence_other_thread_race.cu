// The thread with the fence is not the one that wrote, and no barrier is between.
// CLASS: missing-fence global
#include "tests/cuda/host/common.h"

extern "C" __global__ void pass(int* data, int* flag, int* out) {
  if (blockIdx.x == 0) {
    if (threadIdx.x == 32) *data = 42;  // RACE
    if (threadIdx.x == 0) {
      __threadfence();
    }
    __syncthreads();
    if (threadIdx.x == 0) atomicExch(flag, 1);
  } else if (threadIdx.x == 0) {
    while (atomicAdd(flag, 0) == 0) {
    }
    __threadfence();
    *out = *data;  // RACE
  }
}

const char* const script = R"(
buffer data int 1
buffer flag int 1
buffer out int 1
launch pass<<<2, 64>>>(data, flag, out)
)";
MAIN(KERNEL(pass))
