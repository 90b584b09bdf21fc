// Every thread allocates for itself.
#include "tests/cuda/host/common.h"

extern "C" __global__ void own(int* out) {
  int* const room = static_cast<int*>(malloc(4));
  *room = threadIdx.x;
  out[threadIdx.x] = *room;
  free(room);
}

const char* const script = R"(
buffer out int 64
launch own<<<1, 64>>>(out)
expect out == index
)";
MAIN(KERNEL(own))
