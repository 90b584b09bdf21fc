// ScoR's 1DC: a thread adds its element's share to its neighbours, with block scope where no other block does, else with device scope.
// Race: 1 with block scope everywhere.
// VARIANTS: r1=-DRACE=1
#include "tests/cuda/host/common.h"
#include "scor.h"

constexpr int kRadius = 4;

extern "C" __global__ void convolve(const int* in, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = -kRadius; k <= kRadius; ++k) {
    const int at = i + k;
    if (at < 0 || at >= n) continue;
    const int in_block = at - static_cast<int>(blockIdx.x * blockDim.x);
    const bool alone = in_block >= kRadius && in_block < static_cast<int>(blockDim.x) - kRadius;
    if (alone || IS(1)) {
      atomicAdd_block(&out[at], in[i] * (kRadius + 1 - abs(k)));
    } else {
      atomicAdd(&out[at], in[i] * (kRadius + 1 - abs(k)));
    }
  }
}

const char* const script = R"(
let n = 2048
buffer in int n = hash 1000
buffer out int n
launch convolve<<<n / 128, 128>>>(in, out, n)
)";
MAIN(KERNEL(convolve))
