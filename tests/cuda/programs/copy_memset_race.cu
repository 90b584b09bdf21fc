// A memset in one stream and a kernel in another.
// CLASS: host-device global
#include "tests/cuda/host/common.h"

extern "C" __global__ void add(int* data) {
  data[threadIdx.x] += 2;  // RACE
}

const char* const script = R"(
buffer data int 32 = 9
stream s
stream t
memset data 0 on s  # RACE
launch add<<<1, 32, 0, t>>>(data)
sync device
)";
MAIN(KERNEL(add))
