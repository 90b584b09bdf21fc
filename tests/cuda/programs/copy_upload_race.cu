// A copy to the device in one stream, while a kernel in another stream reads.
// CLASS: host-device global
#include "tests/cuda/host/common.h"

extern "C" __global__ void consume(const int* data, int* out) {
  out[threadIdx.x] = data[threadIdx.x] + 1;  // RACE
}

const char* const script = R"(
buffer data int 32 = 1
buffer out int 32
stream s
stream t
event there
upload data on s  # RACE
launch consume<<<1, 32, 0, t>>>(data, out)
sync device
)";
MAIN(KERNEL(consume))
