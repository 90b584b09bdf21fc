// A copy to the host in one stream, of what a kernel in another stream writes.
// CLASS: host-device global
#include "tests/cuda/host/common.h"

extern "C" __global__ void produce(int* data) {
  data[threadIdx.x] = threadIdx.x;  // RACE
}

const char* const script = R"(
buffer data int 32
stream s
stream t
launch produce<<<1, 32, 0, s>>>(data)
download data on t  # RACE
sync device
expect data == index
)";
MAIN(KERNEL(produce))
