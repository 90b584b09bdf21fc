// The host reads managed memory that a kernel writes, without waiting for the kernel.
// CLASS: host-device global
#include "tests/cuda/host/common.h"

extern "C" __global__ void produce(int* data) {
  data[threadIdx.x] = 5;  // RACE
}

const char* const script = R"(
managed data int 32
stream s
launch produce<<<1, 32, 0, s>>>(data)
host_read data[3]  # RACE
sync device
expect data == 5
)";
MAIN(KERNEL(produce))
