// The host reads managed memory after it waited for the kernel.
#include "tests/cuda/host/common.h"

extern "C" __global__ void produce(int* data) {
  data[threadIdx.x] = 5;
}

const char* const script = R"(
managed data int 32
stream s
launch produce<<<1, 32, 0, s>>>(data)
sync s
host_read data[3]
sync device
expect data == 5
)";
MAIN(KERNEL(produce))
