// Blocks count themselves by red.relaxed after their writes.
// CLASS: missing-fence global
#include "tests/cuda/host/common.h"

extern "C" __global__ void gather(int* parts, int* done, int* out) {
  if (blockIdx.x < 3) {
    parts[blockIdx.x] = blockIdx.x + 1;  // RACE
    asm volatile("red.relaxed.gpu.global.add.s32 [%0], 1;" ::"l"(done) : "memory");
  } else {
    int seen = 0;
    do asm volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(seen) : "l"(done) : "memory");
    while (seen < 3);
    *out = parts[0] + parts[1] + parts[2];  // RACE
  }
}

const char* const script = R"(
buffer parts int 3
buffer done int 1
buffer out int 1
launch gather<<<4, 1>>>(parts, done, out)
)";
MAIN(KERNEL(gather))
