// The leader takes a lock for its warp and gives it back before the other lanes are through.
// CLASS: inter-block global
#include "tests/cuda/host/common.h"

extern "C" __global__ void add(int* lock, int* sums) {
  const int lane = threadIdx.x % 32;
  if (lane == 0) {
    while (atomicCAS(lock, 0, 1) != 0) {
    }
    __threadfence();
  }
  __syncwarp();
  sums[lane] = sums[lane] + 1;  // RACE RACE
  if (lane == 0) {
    __threadfence();
    atomicExch(lock, 0);
  }
}

const char* const script = R"(
buffer lock int 1
buffer sums int 32
launch add<<<4, 32>>>(lock, sums)
)";
MAIN(KERNEL(add))
