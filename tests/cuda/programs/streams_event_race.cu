// The second stream waits for an event that was recorded before the first stream's kernel.
// CLASS: host-device global
#include "tests/cuda/host/common.h"

extern "C" __global__ void produce(int* data) {
  data[threadIdx.x] = threadIdx.x;  // RACE
}
extern "C" __global__ void consume(const int* data, int* out) {
  out[threadIdx.x] = data[31 - threadIdx.x];  // RACE
}

const char* const script = R"(
buffer data int 32
buffer out int 32
stream s
stream t
event ready
record ready on s
launch produce<<<1, 32, 0, s>>>(data)
await ready on t
launch consume<<<1, 32, 0, t>>>(data, out)
sync device
)";
MAIN(KERNEL(produce), KERNEL(consume))
