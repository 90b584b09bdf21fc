// Prefix sums in one pass: each block waits for the running total of the block before it, published with release and read with acquire.
// Checked: neighbours differ by the input. Racy twin: the total is published relaxed.
// VARIANTS: racy=-DRACY
#include "tests/cuda/host/common.h"

constexpr int kThreads = 256;

__device__ int warp_scan(int x) {
  const int lane = threadIdx.x % 32;
  for (int step = 1; step < 32; step *= 2) {
    const int left = __shfl_up_sync(0xffffffffu, x, step);
    if (lane >= step) x += left;
  }
  return x;
}

extern "C" __global__ void scan(const int* in, int* out, int* totals, int* ready, int* ticket) {
  __shared__ int sums[kThreads / 32];
  __shared__ int block, carry;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  if (threadIdx.x == 0) block = atomicAdd(ticket, 1);
  __syncthreads();
  const int b = block;
  const int mine = warp_scan(in[b * kThreads + threadIdx.x]);
  if (lane == 31) sums[warp] = mine;
  __syncthreads();
  if (warp == 0) {
    const int total = warp_scan(lane < kThreads / 32 ? sums[lane] : 0);
    __syncwarp();
    if (lane < kThreads / 32) sums[lane] = total;
    const int all = __shfl_sync(0xffffffffu, total, 31);
    if (lane == 0) {
      int before = 0;
      if (b > 0) {
        int seen;
        do asm volatile("ld.acquire.gpu.s32 %0, [%1];" : "=r"(seen) : "l"(&ready[b - 1]) : "memory");
        while (seen == 0);
        before = totals[b - 1];  // RACE
      }
      totals[b] = before + all;  // RACE
#ifdef RACY
      asm volatile("st.relaxed.gpu.s32 [%0], 1;" ::"l"(&ready[b]) : "memory");
#else
      asm volatile("st.release.gpu.s32 [%0], 1;" ::"l"(&ready[b]) : "memory");
#endif
      carry = before;
    }
  }
  __syncthreads();
  out[b * kThreads + threadIdx.x] = carry + mine + (warp > 0 ? sums[warp - 1] : 0);
}

extern "C" __global__ void check(const int* in, const int* out, int* errors) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (out[i] - (i > 0 ? out[i - 1] : 0) != in[i]) atomicAdd(errors, 1);
}

const char* const script = R"(
let n = 131072
buffer in int n = hash 100
buffer out int n
buffer totals int n / 256
buffer ready int n / 256
buffer ticket int 1
buffer errors int 1
launch scan<<<n / 256, 256>>>(in, out, totals, ready, ticket)
launch check<<<n / 256, 256>>>(in, out, errors)
expect errors[0] == 0
)";
MAIN(KERNEL(scan), KERNEL(check))
