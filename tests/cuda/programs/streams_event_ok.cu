// The second stream waits for an event that was recorded after the first stream's kernel.
#include "tests/cuda/host/common.h"

extern "C" __global__ void produce(int* data) {
  data[threadIdx.x] = threadIdx.x;
}
extern "C" __global__ void consume(const int* data, int* out) {
  out[threadIdx.x] = data[31 - threadIdx.x];
}

const char* const script = R"(
buffer data int 32
buffer out int 32
stream s
stream t
event ready
launch produce<<<1, 32, 0, s>>>(data)
record ready on s
await ready on t
launch consume<<<1, 32, 0, t>>>(data, out)
sync device
expect out[0] == 31
)";
MAIN(KERNEL(produce), KERNEL(consume))
