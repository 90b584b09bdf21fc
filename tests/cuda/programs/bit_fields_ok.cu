// Two blocks change two words.
#include "tests/cuda/host/common.h"

struct Pair {
  unsigned a;
  unsigned b;
};
extern "C" __global__ void change(Pair* pair, unsigned v) {
  if (blockIdx.x == 0) {
    pair->a = v & 15;
  } else {
    pair->b = v & 31;
  }
}

const char* const script = R"(
buffer pair uint 2
launch change<<<2, 1>>>(pair, 21)
expect pair[0] == 5
expect pair[1] == 21
)";
MAIN(KERNEL(change))
