// Work stealing: a block takes its own work block-wide, thieves take it device-wide.
// CLASS: scoped-atomic global
#include "tests/cuda/host/common.h"

extern "C" __global__ void work(int* heads, int* done, int n) {
  if (threadIdx.x != 0) return;
  const int own = blockIdx.x;
  for (;;) {
    const int mine = atomicAdd_block(&heads[own], 1);  // RACE
    if (mine >= n * own + n) break;
    atomicAdd(&done[mine], 1);
  }
  for (int other = 0; other < gridDim.x; ++other) {
    if (other == own) continue;
    const int stolen = atomicAdd(&heads[other], 1);  // RACE
    if (stolen < n * other + n) atomicAdd(&done[stolen], 1);
  }
}

const char* const script = R"(
buffer heads int 2
buffer done int 16
launch work<<<1, 1>>>(heads, done, 0)
memset heads 0
memset done 0
launch work<<<2, 32>>>(heads, done, 8)
)";
MAIN(KERNEL(work))
