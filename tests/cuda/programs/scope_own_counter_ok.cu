// Each block has a counter and adds to it block-wide: nobody else does.
#include "tests/cuda/host/common.h"

extern "C" __global__ void count(int* counters) {
  atomicAdd_block(&counters[blockIdx.x], 1);
}

const char* const script = R"(
buffer counters int 2
launch count<<<2, 32>>>(counters)
expect counters == 32
)";
MAIN(KERNEL(count))
