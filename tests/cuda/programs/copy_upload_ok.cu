// A copy to the device, and the kernel's stream waits for it.
#include "tests/cuda/host/common.h"

extern "C" __global__ void consume(const int* data, int* out) {
  out[threadIdx.x] = data[threadIdx.x] + 1;
}

const char* const script = R"(
buffer data int 32 = 1
buffer out int 32
stream s
stream t
event there
upload data on s
record there on s
await there on t
launch consume<<<1, 32, 0, t>>>(data, out)
sync device
expect out == 1
)";
MAIN(KERNEL(consume))
