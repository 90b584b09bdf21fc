// Stores of four words side by side.
#include "tests/cuda/host/common.h"

extern "C" __global__ void store(int* data) {
  if (blockIdx.x == 0) {
    reinterpret_cast<int4*>(data)[threadIdx.x] = make_int4(1, 2, 3, 4);
  } else {
    reinterpret_cast<int4*>(data)[32 + threadIdx.x] = make_int4(5, 6, 7, 8);
  }
}

const char* const script = R"(
buffer data int 256
launch store<<<2, 32>>>(data)
expect data[127] == 4
expect data[128] == 5
)";
MAIN(KERNEL(store))
