// Radix sort, four bits at a time: counts by block, a scan of the counts, and a scatter that keeps equal digits in order.
// Checked: in order, and with the sums of values and of squares that the input had. Racy twin: warps count digits in shared memory before it was cleared.
// VARIANTS: racy=-DRACY
#include "tests/cuda/host/common.h"

constexpr int kThreads = 256, kDigits = 16, kWarps = kThreads / 32;

extern "C" __global__ void count(const unsigned* in, int* counts, int shift) {
  __shared__ int local[kDigits];
  if (threadIdx.x < kDigits) local[threadIdx.x] = 0;  // RACE
#ifndef RACY
  __syncthreads();
#endif
  const unsigned digit = in[blockIdx.x * kThreads + threadIdx.x] >> shift & 15;
  atomicAdd_block(&local[digit], 1);  // RACE
  __syncthreads();
  if (threadIdx.x < kDigits) counts[threadIdx.x * gridDim.x + blockIdx.x] = local[threadIdx.x];
}

// Where each digit of each block begins: an exclusive scan by one block.
extern "C" __global__ void scan(int* counts, int n) {
  __shared__ int sums[2][kThreads];
  int carry = 0;
  for (int first = 0; first < n; first += kThreads) {
    const int i = first + threadIdx.x, mine = i < n ? counts[i] : 0;
    int from = 0;
    sums[0][threadIdx.x] = mine;
    __syncthreads();
    for (int step = 1; step < kThreads; step *= 2) {
      const int left = threadIdx.x >= step ? sums[from][threadIdx.x - step] : 0;
      sums[1 - from][threadIdx.x] = sums[from][threadIdx.x] + left;
      from = 1 - from;
      __syncthreads();
    }
    if (i < n) counts[i] = carry + sums[from][threadIdx.x] - mine;
    carry += sums[from][kThreads - 1];
    __syncthreads();
  }
}

extern "C" __global__ void scatter(const unsigned* in, unsigned* out, const int* starts, int shift) {
  __shared__ int before[kWarps][kDigits];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  if (lane < kDigits) before[warp][lane] = 0;
  __syncwarp();
  const unsigned value = in[blockIdx.x * kThreads + threadIdx.x], digit = value >> shift & 15;
  const unsigned same = __match_any_sync(0xffffffffu, digit);
  const int rank = __popc(same & ((1u << lane) - 1));
  if (rank == 0) before[warp][digit] = __popc(same);
  __syncthreads();
  int at = starts[digit * gridDim.x + blockIdx.x] + rank;
  for (int w = 0; w < warp; ++w) at += before[w][digit];
  out[at] = value;  // RACE2? RACE2?
}

extern "C" __global__ void sum(const unsigned* data, unsigned* sums, unsigned sign) {
  const unsigned x = data[blockIdx.x * blockDim.x + threadIdx.x];
  atomicAdd(&sums[0], x * sign);
  atomicAdd(&sums[1], x * x * sign);
}

extern "C" __global__ void check(const unsigned* data, int n, unsigned* errors) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i + 1 < n && data[i] > data[i + 1]) atomicAdd(errors, 1u);
}

const char* const script = R"(
let n = 16384
let digits = 4
buffer a uint n = hash 65536
buffer b uint n
buffer counts int 16 * n / 256
buffer sums uint 2
buffer errors uint 1
launch sum<<<n / 256, 256>>>(a, sums, 1)
repeat digits / 2 as i
launch count<<<n / 256, 256>>>(a, counts, 8 * i)
launch scan<<<1, 256>>>(counts, 16 * n / 256)
launch scatter<<<n / 256, 256>>>(a, b, counts, 8 * i)
launch count<<<n / 256, 256>>>(b, counts, 8 * i + 4)
launch scan<<<1, 256>>>(counts, 16 * n / 256)
launch scatter<<<n / 256, 256>>>(b, a, counts, 8 * i + 4)
end
launch sum<<<n / 256, 256>>>(a, sums, -1)
launch check<<<n / 256, 256>>>(a, n, errors)
expect sums == 0
expect errors[0] == 0
)";
MAIN(KERNEL(sum), KERNEL(count), KERNEL(scan), KERNEL(scatter), KERNEL(check))
