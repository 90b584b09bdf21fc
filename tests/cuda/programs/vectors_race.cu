// A store of four words from one block overlaps a single word of another.
// CLASS: inter-block global
#include "tests/cuda/host/common.h"

extern "C" __global__ void store(int* data) {
  if (blockIdx.x == 0) {
    reinterpret_cast<int4*>(data)[threadIdx.x] = make_int4(1, 2, 3, 4);  // RACE
  } else {
    data[threadIdx.x * 4 + 2] = 5;  // RACE
  }
}

const char* const script = R"(
buffer data int 256
launch store<<<2, 32>>>(data)
)";
MAIN(KERNEL(store))
