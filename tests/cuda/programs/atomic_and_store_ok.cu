// The host sets the counter to zero before.
#include "tests/cuda/host/common.h"

extern "C" __global__ void add(int* counter) {
  if (threadIdx.x == 0) atomicAdd(counter, 2);
}

const char* const script = R"(
buffer counter int 1 = 100
memset counter 0
launch add<<<4, 32>>>(counter)
expect counter[0] == 8
)";
MAIN(KERNEL(add))
