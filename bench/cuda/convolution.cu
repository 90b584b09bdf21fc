// One-dimensional convolution: a block loads its part and the rim on both sides into shared memory. Checked against global memory only.
// Racy twin: no barrier between loading and use.
// VARIANTS: racy=-DRACY
#include "tests/cuda/host/common.h"

constexpr int kThreads = 256, kRadius = 16;
__constant__ int weights[2 * kRadius + 1] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 8, 7, 6, 5, 4, 3, 2, 1, 2, 3, 4, 5, 6, 7, 8, 9, 8, 7, 6, 5, 4, 3, 2, 1};

extern "C" __global__ void convolve(const int* in, int* out, int n) {
  __shared__ int tile[kThreads + 2 * kRadius];
  const int i = threadIdx.x, first = blockIdx.x * kThreads;
#pragma unroll 1
  for (int k = i; k < kThreads + 2 * kRadius; k += kThreads) {
    const int at = first + k - kRadius;
    tile[k] = at >= 0 && at < n ? in[at] : 0;  // RACE
  }
#ifndef RACY
  __syncthreads();
#endif
  int sum = 0;
#pragma unroll 1
  for (int k = 0; k <= 2 * kRadius; ++k) sum += weights[k] * tile[i + k];  // RACE
  out[first + i] = sum;
}

extern "C" __global__ void check(const int* in, const int* out, int n, int* errors) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  int sum = 0;
  for (int k = -kRadius; k <= kRadius; ++k)
    if (i + k >= 0 && i + k < n) sum += weights[k + kRadius] * in[i + k];
  if (sum != out[i]) atomicAdd(errors, 1);
}

const char* const script = R"(
let n = 131072
buffer in int n = hash 1000
buffer out int n
buffer errors int 1
launch convolve<<<n / 256, 256>>>(in, out, n)
launch check<<<n / 256, 256>>>(in, out, n, errors)
expect errors[0] == 0
)";
MAIN(KERNEL(convolve), KERNEL(check))
