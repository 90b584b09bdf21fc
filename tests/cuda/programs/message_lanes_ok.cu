// One lane waits for a flag that another lane of its warp raises after a fence: lanes make progress on their own.
#include "tests/cuda/host/common.h"

extern "C" __global__ void pass(int value, int* out) {
  __shared__ int data, flag;
  if (threadIdx.x == 0) flag = 0;
  __syncwarp();
  if (threadIdx.x == 0) {
    while (atomicAdd_block(&flag, 0) == 0) {
    }
    __threadfence_block();
    *out = data;
  } else if (threadIdx.x == 1) {
    data = value;
    __threadfence_block();
    atomicExch_block(&flag, 1);
  }
}

const char* const script = R"(
buffer out int 1
launch pass<<<1, 32>>>(42, out)
expect out[0] == 42
)";
MAIN(KERNEL(pass))
