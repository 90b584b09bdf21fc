// Memory from the device's malloc is filled, then a fence, then published.
#include "tests/cuda/host/common.h"

extern "C" __global__ void publish(unsigned long long* box, int* out) {
  if (blockIdx.x == 0) {
    int* const made = static_cast<int*>(malloc(16));
    made[1] = 42;
    __threadfence();
    atomicExch(box, reinterpret_cast<unsigned long long>(made));
  } else {
    unsigned long long seen;
    while ((seen = atomicAdd(box, 0ull)) == 0) {
    }
    __threadfence();
    *out = reinterpret_cast<int*>(seen)[1];
  }
}

const char* const script = R"(
buffer box ulong 1
buffer out int 1
launch publish<<<2, 1>>>(box, out)
expect out[0] == 42
)";
MAIN(KERNEL(publish))
