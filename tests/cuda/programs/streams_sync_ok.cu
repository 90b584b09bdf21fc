// The host waits for the first stream before it launches into another one.
#include "tests/cuda/host/common.h"

extern "C" __global__ void produce(int* data) {
  data[threadIdx.x] = 3;
}
extern "C" __global__ void consume(const int* data, int* out) {
  out[threadIdx.x] = data[threadIdx.x];
}

const char* const script = R"(
buffer data int 32
buffer out int 32
stream s
stream t
launch produce<<<1, 32, 0, s>>>(data)
sync s
launch consume<<<1, 32, 0, t>>>(data, out)
sync device
expect out == 3
)";
MAIN(KERNEL(produce), KERNEL(consume))
