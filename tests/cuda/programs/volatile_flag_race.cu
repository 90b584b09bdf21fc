// A volatile flag with fences: volatile is data for the papers, and a relaxed access in the PTX model.
#include "tests/cuda/host/common.h"

extern "C" __global__ void pass(int* data, volatile int* flag, int* out) {
  if (blockIdx.x == 0) {
    *data = 42;
    __threadfence();
    *flag = 1;  // RACE@cuda
  } else {
    while (*flag == 0) {  // RACE@cuda
    }
    __threadfence();
    *out = *data;
  }
}

const char* const script = R"(
buffer data int 1
buffer flag int 1
buffer out int 1
launch pass<<<2, 1>>>(data, flag, out)
expect out[0] == 42
)";
MAIN(KERNEL(pass))
