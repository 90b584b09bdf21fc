// Blocks in a wavefront: each waits for the flag of the one before, with fences.
#include "tests/cuda/host/common.h"

extern "C" __global__ void wave(int* cells, int* flags) {
  const int b = blockIdx.x;
  if (b > 0) {
    while (atomicAdd(&flags[b - 1], 0) == 0) {
    }
    __threadfence();
  }
  const int left = b > 0 ? cells[b - 1] : 0;
  cells[b] = left + b;
  __threadfence();
  atomicExch(&flags[b], 1);
}

const char* const script = R"(
buffer cells int 4
buffer flags int 4
launch wave<<<4, 1>>>(cells, flags)
expect cells[3] == 6
)";
MAIN(KERNEL(wave))
