// The leader of each warp adds the warp's count by an atomic.
#include "tests/cuda/host/common.h"

extern "C" __global__ void count(const int* data, int* total) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned found = __ballot_sync(0xffffffffu, data[i] % 2 == 0);
  if (threadIdx.x == 0) atomicAdd(total, __popc(found));
}

const char* const script = R"(
buffer data int 128 = index
buffer total int 1
launch count<<<4, 32>>>(data, total)
expect total[0] == 64
)";
MAIN(KERNEL(count))
