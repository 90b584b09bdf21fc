// Two blocks change two bit-fields of one word.
// CLASS: inter-block global
#include "tests/cuda/host/common.h"

struct Pair {
  unsigned a : 12;
  unsigned b : 20;
};
extern "C" __global__ void change(Pair* pair, unsigned v) {
  if (blockIdx.x == 0) {
    pair->a = v & 15;  // RACE
  } else {
    pair->b = v & 31;  // RACE
  }
}

const char* const script = R"(
buffer pair uint 2
launch change<<<2, 1>>>(pair, 21)
)";
MAIN(KERNEL(change))
