// Memory of the device's malloc is freed after a signal that no fence stands in front of.
// CLASS: missing-fence global
#include "tests/cuda/host/common.h"

extern "C" __global__ void hand_back(unsigned long long* box, int* done, int* out) {
  if (blockIdx.x == 0) {
    int* const made = static_cast<int*>(malloc(64));
    made[3] = 42;
    __threadfence();
    atomicAdd(box, reinterpret_cast<unsigned long long>(made));
    while (atomicAdd(done, 0) == 0) {
    }
    __threadfence();
    free(made);  // RACE
  } else {
    unsigned long long seen;
    while ((seen = atomicAdd(box, 0ull)) == 0) {
    }
    __threadfence();
    *out = reinterpret_cast<int*>(seen)[3];  // RACE
    atomicAdd(done, 1);
  }
}

const char* const script = R"(
buffer box ulong 1
buffer done int 1
buffer out int 1
launch hand_back<<<2, 1>>>(box, done, out)
expect out[0] == 42
)";
MAIN(KERNEL(hand_back))
