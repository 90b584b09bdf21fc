// Neighbouring vertices take the smaller distance by an atomic.
#include "tests/cuda/host/common.h"

extern "C" __global__ void relax(const int* target, int* distance) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  atomicMin(&distance[target[i]], i + 1);
}

const char* const script = R"(
buffer target int 64
buffer distance int 1 = 1000
launch relax<<<2, 32>>>(target, distance)
expect distance[0] == 1
)";
MAIN(KERNEL(relax))
