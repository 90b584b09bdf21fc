// Reduction with fences: every block sums a part, the last one to count itself sums the parts. After the CUDA samples'
// threadFenceReduction and ScoR's reduction. Checked against a sum by atomics. Racy twin: no fence before the count.
// VARIANTS: racy=-DRACY
#include "tests/cuda/host/common.h"

constexpr int kThreads = 256;

__device__ int block_sum(int mine, int* sums) {
  const int i = threadIdx.x;
  sums[i] = mine;
  __syncthreads();
  for (int step = kThreads / 2; step >= 32; step /= 2) {
    if (i < step) sums[i] += sums[i + step];
    __syncthreads();
  }
  int sum = sums[i % 32];
  for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffffu, sum, step);
  return sum;
}

extern "C" __global__ void reduce(const int* in, int n, int* parts, unsigned* done, int* out) {
  __shared__ int sums[kThreads];
  __shared__ bool last;
  int mine = 0;
  for (int i = blockIdx.x * kThreads + threadIdx.x; i < n; i += gridDim.x * kThreads) mine += in[i];
  const int sum = block_sum(mine, sums);
  if (threadIdx.x == 0) {
    parts[blockIdx.x] = sum;  // RACE
#ifndef RACY
    __threadfence();
#endif
    last = atomicInc(done, gridDim.x) == gridDim.x - 1;
  }
  __syncthreads();
  if (!last) return;
  __threadfence();
  int rest = 0;
  for (int i = threadIdx.x; i < gridDim.x; i += kThreads) rest += parts[i];  // RACE
  const int total = block_sum(rest, sums);
  if (threadIdx.x == 0) *out = total;
}

extern "C" __global__ void check(const int* in, int n, int* total) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  int mine = i < n ? in[i] : 0;
  for (int step = 16; step > 0; step /= 2) mine += __shfl_down_sync(0xffffffffu, mine, step);
  if (threadIdx.x % 32 == 0) atomicAdd(total, mine);
}

extern "C" __global__ void differ(const int* a, const int* b, int* errors) {
  if (*a != *b) *errors = 1;
}

const char* const script = R"(
let n = 1048576
let blocks = 64
buffer in int n = hash 100
buffer parts int blocks
buffer done uint 1
buffer out int 1
buffer total int 1
buffer errors int 1
launch reduce<<<blocks, 256>>>(in, n, parts, done, out)
launch check<<<(n + 255) / 256, 256>>>(in, n, total)
launch differ<<<1, 1>>>(out, total, errors)
expect errors[0] == 0
)";
MAIN(KERNEL(reduce), KERNEL(check), KERNEL(differ))
