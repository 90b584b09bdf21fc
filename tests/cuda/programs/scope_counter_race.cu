// Two blocks add to one counter by atomics that are only as wide as a block.
// CLASS: scoped-atomic global
#include "tests/cuda/host/common.h"

extern "C" __global__ void count(int* counter) {
  atomicAdd_block(counter, 1);  // RACE RACE
}

const char* const script = R"(
buffer counter int 1
launch count<<<2, 32>>>(counter)
)";
MAIN(KERNEL(count))
