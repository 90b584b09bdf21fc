// The host writes managed memory that a running kernel reads.
// CLASS: host-device global
#include "tests/cuda/host/common.h"

extern "C" __global__ void consume(const int* data, int* out) {
  out[threadIdx.x] = data[threadIdx.x];  // RACE
}

const char* const script = R"(
managed data int 32 = 5
buffer out int 32
stream s
launch consume<<<1, 32, 0, s>>>(data, out)
host_write data[3] = 6  # RACE
sync device
)";
MAIN(KERNEL(consume))
