// A block-wide lock in shared memory with block-wide fences.
#include "tests/cuda/host/common.h"

extern "C" __global__ void add(int* out) {
  __shared__ int lock, sum;
  if (threadIdx.x == 0) lock = sum = 0;
  __syncthreads();
  if (threadIdx.x % 32 == 0) {
    while (atomicCAS_block(&lock, 0, 1) != 0) {
    }
    __threadfence_block();
    sum = sum + 1;
    __threadfence_block();
    atomicExch_block(&lock, 0);
  }
  __syncthreads();
  if (threadIdx.x == 0) *out = sum;
}

const char* const script = R"(
buffer out int 1
launch add<<<1, 128>>>(out)
expect out[0] == 4
)";
MAIN(KERNEL(add))
