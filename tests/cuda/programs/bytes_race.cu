// One block stores a word over the bytes that others store.
// CLASS: inter-block global
#include "tests/cuda/host/common.h"

extern "C" __global__ void bytes(signed char* data) {
  if (blockIdx.x == 0) {
    *reinterpret_cast<int*>(data) = 7;  // RACE
    return;
  }
  data[blockIdx.x] = static_cast<signed char>(blockIdx.x + 1);  // RACE
}

const char* const script = R"(
buffer data char 4
launch bytes<<<2, 1>>>(data)
)";
MAIN(KERNEL(bytes))
