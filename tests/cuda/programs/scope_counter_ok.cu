// Two blocks add to one counter by atomics as wide as the device.
#include "tests/cuda/host/common.h"

extern "C" __global__ void count(int* counter) {
  atomicAdd(counter, 1);
}

const char* const script = R"(
buffer counter int 1
launch count<<<2, 32>>>(counter)
expect counter[0] == 64
)";
MAIN(KERNEL(count))
