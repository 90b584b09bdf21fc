// ScoR's RED (ScoRD, figure 4): warps of a block hand their sums over behind fences of the block, blocks behind fences of the device.
// Races: 1 the block's sum is published by a block-wide fence, 2 the warp's sum without a fence.
// VARIANTS: r1=-DRACE=1 r2=-DRACE=2
#include "tests/cuda/host/common.h"
#include "scor.h"

extern "C" __global__ void reduce(const int* in, int n, volatile int* sums, int* ready, volatile int* parts, unsigned* done, int* out) {
  const int lane = threadIdx.x % 32, place = blockIdx.x * 32 + lane;
  int sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += in[i];
  if (threadIdx.x >= 32) {
    sums[place] = sum;
    if (!IS(2)) __threadfence_block();
    atomicExch_block(&ready[place], 1);
    return;
  }
  while (atomicAdd_block(&ready[place], 0) == 0) {
  }
  __threadfence_block();
  sum += sums[place];
  for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffffu, sum, step);
  if (lane != 0) return;
  parts[blockIdx.x] = sum;
  fence(IS(1));
  if (atomicInc(done, gridDim.x) != gridDim.x - 1) return;
  __threadfence();
  int total = 0;
  for (int i = 0; i < gridDim.x; ++i) total += parts[i];
  *out = total;
}

const char* const script = R"(
let n = 16384
let blocks = 8
buffer in int n = hash 2
buffer sums int 32 * blocks
buffer ready int 32 * blocks
buffer parts int blocks
buffer done uint 1
buffer out int 1
launch reduce<<<blocks, 64>>>(in, n, sums, ready, parts, done, out)
)";
MAIN(KERNEL(reduce))
