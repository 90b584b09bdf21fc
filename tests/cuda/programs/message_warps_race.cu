// Message passing between warps through shared memory without a fence at the producer.
// CLASS: missing-fence shared
#include "tests/cuda/host/common.h"

extern "C" __global__ void pass(int value, int* out) {
  __shared__ int data, flag;
  if (threadIdx.x == 0) flag = 0;
  __syncthreads();
  if (threadIdx.x == 0) {
    data = value;  // RACE
    atomicExch_block(&flag, 1);
  } else if (threadIdx.x == 32) {
    while (atomicAdd_block(&flag, 0) == 0) {
    }
    __threadfence_block();
    *out = data;  // RACE
  }
}

const char* const script = R"(
buffer out int 1
launch pass<<<1, 64>>>(42, out)
)";
MAIN(KERNEL(pass))
