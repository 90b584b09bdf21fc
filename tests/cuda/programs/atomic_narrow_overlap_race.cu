// A plain store of a byte inside a word that another block changes by an atomic.
// CLASS: inter-block global
#include "tests/cuda/host/common.h"

extern "C" __global__ void mix(unsigned* word) {
  if (blockIdx.x == 0) {
    atomicOr(word, 1u);  // RACE
  } else {
    reinterpret_cast<unsigned char*>(word)[3] = 9;  // RACE
  }
}

const char* const script = R"(
buffer word uint 2
launch mix<<<2, 1>>>(word)
)";
MAIN(KERNEL(mix))
