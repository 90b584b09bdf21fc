// The byte is outside of the word.
#include "tests/cuda/host/common.h"

extern "C" __global__ void mix(unsigned* word) {
  if (blockIdx.x == 0) {
    atomicOr(word, 1u);
  } else {
    reinterpret_cast<unsigned char*>(word)[4] = 9;
  }
}

const char* const script = R"(
buffer word uint 2
launch mix<<<2, 1>>>(word)
expect word[0] == 1
expect word[1] == 9
)";
MAIN(KERNEL(mix))
