// The leader of each warp adds the warp's count with a plain addition.
// CLASS: inter-block global
#include "tests/cuda/host/common.h"

extern "C" __global__ void count(const int* data, int* total) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned found = __ballot_sync(0xffffffffu, data[i] % 2 == 0);
  if (threadIdx.x == 0) *total += __popc(found);  // RACE RACE
}

const char* const script = R"(
buffer data int 128 = index
buffer total int 1
launch count<<<4, 32>>>(data, total)
)";
MAIN(KERNEL(count))
