// The host waits for an event that was recorded after the kernel.
#include "tests/cuda/host/common.h"

extern "C" __global__ void produce(int* data) {
  data[threadIdx.x] = 5;
}

const char* const script = R"(
managed data int 32
stream s
event done
launch produce<<<1, 32, 0, s>>>(data)
record done on s
sync done
host_read data[3]
sync device
expect data == 5
)";
MAIN(KERNEL(produce))
