// The host waits for the wrong stream before it launches into another one.
// CLASS: host-device global
#include "tests/cuda/host/common.h"

extern "C" __global__ void produce(int* data) {
  data[threadIdx.x] = 3;  // RACE
}
extern "C" __global__ void consume(const int* data, int* out) {
  out[threadIdx.x] = data[threadIdx.x];  // RACE
}

const char* const script = R"(
buffer data int 32
buffer out int 32
stream s
stream t
launch produce<<<1, 32, 0, s>>>(data)
sync t
launch consume<<<1, 32, 0, t>>>(data, out)
sync device
)";
MAIN(KERNEL(produce), KERNEL(consume))
