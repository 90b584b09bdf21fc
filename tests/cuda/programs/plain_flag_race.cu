// A plain flag: the consumer looks once with an ordinary load.
// CLASS: inter-block global
#include "tests/cuda/host/common.h"

extern "C" __global__ void pass(int* flag, int* out) {
  if (blockIdx.x == 0) {
    *flag = 1;  // RACE
  } else {
    *out = *flag;  // RACE
  }
}

const char* const script = R"(
buffer flag int 1
buffer out int 1
launch pass<<<2, 1>>>(flag, out)
)";
MAIN(KERNEL(pass))
