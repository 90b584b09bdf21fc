// A copy to the host in the kernel's own stream.
#include "tests/cuda/host/common.h"

extern "C" __global__ void produce(int* data) {
  data[threadIdx.x] = threadIdx.x;
}

const char* const script = R"(
buffer data int 32
stream s
stream t
launch produce<<<1, 32, 0, s>>>(data)
download data on s
sync device
expect data == index
)";
MAIN(KERNEL(produce))
