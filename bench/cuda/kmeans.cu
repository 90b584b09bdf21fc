// k-means of points in the plane, whole numbers: blocks sum up in shared memory, then in global memory by atomics. After Rodinia's.
// Checked: the last sums against sums in global memory only. Racy twin: plain additions in shared memory.
// VARIANTS: racy=-DRACY
#include "tests/cuda/host/common.h"

constexpr int kMeans = 8;

__device__ int nearest(int2 p, const int2* means) {
  int best = 0, least = 0x7fffffff;
#pragma unroll 1
  for (int k = 0; k < kMeans; ++k) {
    const int dx = p.x - means[k].x, dy = p.y - means[k].y;
    const int distance = dx * dx + dy * dy;
    if (distance < least) least = distance, best = k;
  }
  return best;
}

extern "C" __global__ void gather(const int2* points, const int2* means, int* sums) {
  __shared__ int local[3 * kMeans];
  if (threadIdx.x < 3 * kMeans) local[threadIdx.x] = 0;
  __syncthreads();
  const int2 p = points[blockIdx.x * blockDim.x + threadIdx.x];
  const int k = nearest(p, means);
#ifdef RACY
  local[3 * k] += 1;  // RACE RACE
#else
  atomicAdd_block(&local[3 * k], 1);
#endif
  atomicAdd_block(&local[3 * k + 1], p.x);
  atomicAdd_block(&local[3 * k + 2], p.y);
  __syncthreads();
  if (threadIdx.x < 3 * kMeans) atomicAdd(&sums[threadIdx.x], local[threadIdx.x]);
}

extern "C" __global__ void move(int2* means, int* sums) {
  const int k = threadIdx.x;
  const int count = sums[3 * k];
  if (count > 0) means[k] = make_int2(sums[3 * k + 1] / count, sums[3 * k + 2] / count);
  sums[3 * k] = sums[3 * k + 1] = sums[3 * k + 2] = 0;
}

extern "C" __global__ void check(const int2* points, const int2* means, int* sums) {
  const int2 p = points[blockIdx.x * blockDim.x + threadIdx.x];
  const int k = nearest(p, means);
  atomicSub(&sums[3 * k], 1);
  atomicSub(&sums[3 * k + 1], p.x);
  atomicSub(&sums[3 * k + 2], p.y);
}

const char* const script = R"(
let n = 32768
let rounds = 5
buffer points int 2 * n = hash 1000
buffer means int 16 = hash 900
buffer sums int 24
repeat rounds
launch gather<<<n / 256, 256>>>(points, means, sums)
launch move<<<1, 8>>>(means, sums)
end
launch gather<<<n / 256, 256>>>(points, means, sums)
launch check<<<n / 256, 256>>>(points, means, sums)
expect sums == 0
)";
MAIN(KERNEL(gather), KERNEL(move), KERNEL(check))
