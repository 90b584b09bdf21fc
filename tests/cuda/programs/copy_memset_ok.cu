// A memset and a kernel in one stream.
#include "tests/cuda/host/common.h"

extern "C" __global__ void add(int* data) {
  data[threadIdx.x] += 2;
}

const char* const script = R"(
buffer data int 32 = 9
stream s
stream t
memset data 0 on s
launch add<<<1, 32, 0, s>>>(data)
sync device
expect data == 2
)";
MAIN(KERNEL(add))
