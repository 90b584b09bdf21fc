// Two kernels in one stream use the same buffer.
#include "tests/cuda/host/common.h"

extern "C" __global__ void add(int* data, int by) {
  data[threadIdx.x] += by;
}

const char* const script = R"(
buffer data int 32
stream s
stream t
launch add<<<1, 32, 0, s>>>(data, 1)
launch add<<<1, 32, 0, s>>>(data, 2)
sync device
expect data == 3
)";
MAIN(KERNEL(add))
