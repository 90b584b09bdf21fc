// The third kernel waits for one of the two streams that feed it.
// CLASS: host-device global
#include "tests/cuda/host/common.h"

extern "C" __global__ void left(int* a) {
  a[threadIdx.x] = 1;
}
extern "C" __global__ void right(int* b) {
  b[threadIdx.x] = 2;  // RACE
}
extern "C" __global__ void both(const int* a, const int* b, int* out) {
  const int x = a[threadIdx.x];
  out[threadIdx.x] = x + b[threadIdx.x];  // RACE
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
launch both<<<1, 32, 0, s>>>(a, b, out)
sync device
)";
MAIN(KERNEL(left), KERNEL(right), KERNEL(both))
