// The third kernel waits for both of the streams that feed it.
#include "tests/cuda/host/common.h"

extern "C" __global__ void left(int* a) {
  a[threadIdx.x] = 1;
}
extern "C" __global__ void right(int* b) {
  b[threadIdx.x] = 2;
}
extern "C" __global__ void both(const int* a, const int* b, int* out) {
  const int x = a[threadIdx.x];
  out[threadIdx.x] = x + b[threadIdx.x];
}

const char* const script = R"(
buffer a int 32
buffer b int 32
buffer out int 32
stream s
stream t
event right_done
launch left<<<1, 32, 0, s>>>(a)
launch right<<<1, 32, 0, t>>>(b)
record right_done on t
await right_done on s
launch both<<<1, 32, 0, s>>>(a, b, out)
sync device
expect out == 3
)";
MAIN(KERNEL(left), KERNEL(right), KERNEL(both))
