// Cooperative groups: only the block synchronises where the whole grid should.
// CLASS: inter-block global
#include <cooperative_groups.h>

#include "tests/cuda/host/common.h"

namespace cg = cooperative_groups;
extern "C" __global__ void exchange(int* data, int* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  data[i] = i;  // RACE
  cg::this_thread_block().sync();
  out[i] = data[127 - i];  // RACE
}

const char* const script = R"(
buffer data int 128
buffer out int 128
launch cooperative exchange<<<2, 64>>>(data, out)
)";
MAIN(KERNEL(exchange))
