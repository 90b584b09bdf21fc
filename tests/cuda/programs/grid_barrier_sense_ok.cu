// A sense-reversing barrier of all blocks, used twice.
#include "tests/cuda/host/common.h"

__device__ void all_blocks(int* count, int* sense, int blocks, int now) {
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    if (atomicAdd(count, 1) == blocks - 1) {
      atomicExch(count, 0);
      __threadfence();
      atomicExch(sense, now);
    } else {
      int seen;
      do asm volatile("ld.relaxed.gpu.s32 %0, [%1];" : "=r"(seen) : "l"(sense) : "memory");
      while (seen != now);
    }
    __threadfence();
  }
  __syncthreads();
}
extern "C" __global__ void exchange(int* data, int* state, int* out) {
  data[blockIdx.x] = blockIdx.x + 1;
  all_blocks(&state[0], &state[1], gridDim.x, 1);
  const int other = data[(blockIdx.x + 1) % 3];
  all_blocks(&state[0], &state[1], gridDim.x, 2);
  data[blockIdx.x] = 10 * other;
}

const char* const script = R"(
buffer data int 3
buffer state int 2
buffer out int 3
launch exchange<<<3, 1>>>(data, state, out)
expect data[0] == 20
expect data[2] == 10
)";
MAIN(KERNEL(exchange))
