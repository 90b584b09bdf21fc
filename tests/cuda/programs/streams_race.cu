// Two kernels in two streams use the same buffer, and nothing orders them.
// CLASS: host-device global
#include "tests/cuda/host/common.h"

extern "C" __global__ void add(int* data, int by) {
  data[threadIdx.x] += by;  // RACE RACE
}

const char* const script = R"(
buffer data int 32
stream s
stream t
launch add<<<1, 32, 0, s>>>(data, 1)
launch add<<<1, 32, 0, t>>>(data, 2)
sync device
)";
MAIN(KERNEL(add))
