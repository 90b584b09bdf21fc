// Neighbouring vertices of two blocks mark the same vertex with different distances by plain stores.
// CLASS: inter-block global
#include "tests/cuda/host/common.h"

extern "C" __global__ void relax(const int* target, int* distance) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x == 0) distance[target[i]] = i + 1;  // RACE RACE
}

const char* const script = R"(
buffer target int 64
buffer distance int 1 = 1000
launch relax<<<2, 32>>>(target, distance)
)";
MAIN(KERNEL(relax))
