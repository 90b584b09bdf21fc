// A counter is read by the next kernel.
#include "tests/cuda/host/common.h"

extern "C" __global__ void count(int* counter, int* out) {
  if (threadIdx.x == 0) {
    atomicAdd(counter, 1);
  }
}
extern "C" __global__ void show(const int* counter, int* out) {
  out[threadIdx.x] = *counter;
}

const char* const script = R"(
buffer counter int 1
buffer out int 8
launch count<<<8, 32>>>(counter, out)
launch show<<<1, 8>>>(counter, out)
expect out == 8
)";
MAIN(KERNEL(count), KERNEL(show))
