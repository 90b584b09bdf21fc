// Neighbouring bytes belong to different blocks: no race, though they share a word.
#include "tests/cuda/host/common.h"

extern "C" __global__ void bytes(signed char* data) {
  data[blockIdx.x] = static_cast<signed char>(blockIdx.x + 1);
}

const char* const script = R"(
buffer data char 4
launch bytes<<<4, 1>>>(data)
expect data[0] == 1
expect data[3] == 4
)";
MAIN(KERNEL(bytes))
