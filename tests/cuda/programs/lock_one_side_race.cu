// One block takes the lock, the other reads without.
// CLASS: lock global
#include "tests/cuda/host/common.h"

__device__ void take(int* lock) {
  while (atomicCAS(lock, 0, 1) != 0) {
  }
  __threadfence();
}
__device__ void give(int* lock) {
  __threadfence();
  atomicExch(lock, 0);
}
extern "C" __global__ void share(int* lock, int* value, int* out) {
  if (blockIdx.x == 0) {
    take(lock);
    *value = 7;  // RACE
    give(lock);
  } else {
    *out = *value;  // RACE
  }
}

const char* const script = R"(
buffer lock int 1
buffer value int 1
buffer out int 1
launch share<<<2, 1>>>(lock, value, out)
)";
MAIN(KERNEL(share))
