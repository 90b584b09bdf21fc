// Work stealing: owner and thieves take work device-wide.
#include "tests/cuda/host/common.h"

extern "C" __global__ void work(int* heads, int* done, int n) {
  if (threadIdx.x != 0) return;
  const int own = blockIdx.x, other = 1 - own;
#pragma unroll 1
  for (;;) {
    const int mine = atomicAdd(&heads[own], 1);
    if (mine >= n) break;
    atomicAdd(&done[own * n + mine], 1);
  }
#pragma unroll 1
  for (;;) {
    const int stolen = atomicAdd(&heads[other], 1);
    if (stolen >= n) break;
    atomicAdd(&done[other * n + stolen], 1);
  }
}

const char* const script = R"(
buffer heads int 2
buffer done int 16
launch work<<<2, 32>>>(heads, done, 8)
expect done == 1
)";
MAIN(KERNEL(work))
