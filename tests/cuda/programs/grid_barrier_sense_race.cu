// A sense-reversing barrier of all blocks whose last arriver opens it without a fence.
// CLASS: missing-fence global
#include "tests/cuda/host/common.h"

__device__ void all_blocks(int* count, int* sense, int blocks, int now) {
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    if (atomicAdd(count, 1) == blocks - 1) {
      atomicExch(count, 0);
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
  data[blockIdx.x] = blockIdx.x + 1;  // RACE
  all_blocks(&state[0], &state[1], gridDim.x, 1);
  out[blockIdx.x] = data[(blockIdx.x + 1) % 3] + data[(blockIdx.x + 2) % 3];  // RACE
}

const char* const script = R"(
buffer data int 3
buffer state int 2
buffer out int 3
launch exchange<<<3, 1>>>(data, state, out)
)";
MAIN(KERNEL(exchange))
