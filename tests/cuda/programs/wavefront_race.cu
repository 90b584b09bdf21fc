// Blocks in a wavefront: each waits for the one before, whose flag has no fence.
// CLASS: missing-fence global
#include "tests/cuda/host/common.h"

extern "C" __global__ void wave(int* cells, int* flags) {
  const int b = blockIdx.x;
  if (b > 0) {
    while (atomicAdd(&flags[b - 1], 0) == 0) {
    }
    __threadfence();
  }
  const int left = b > 0 ? cells[b - 1] : 0;  // RACE
  cells[b] = left + b;                        // RACE
  atomicExch(&flags[b], 1);
}

const char* const script = R"(
buffer cells int 4
buffer flags int 4
launch wave<<<4, 1>>>(cells, flags)
)";
MAIN(KERNEL(wave))
