// The host writes managed memory before the kernel is launched.
#include "tests/cuda/host/common.h"

extern "C" __global__ void consume(const int* data, int* out) {
  out[threadIdx.x] = data[threadIdx.x];
}

const char* const script = R"(
managed data int 32 = 5
buffer out int 32
stream s
host_write data[3] = 6
launch consume<<<1, 32, 0, s>>>(data, out)
sync device
expect out[3] == 6
)";
MAIN(KERNEL(consume))
