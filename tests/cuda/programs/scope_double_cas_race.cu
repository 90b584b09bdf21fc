// Adding doubles by compare-and-swap in a loop, block-wide, from two blocks.
// CLASS: scoped-atomic global
#include "tests/cuda/host/common.h"

__device__ void add(unsigned long long* at, double x) {
  unsigned long long seen = 0, old;
  do {
    old = seen;
    const unsigned long long next = __double_as_longlong(__longlong_as_double(old) + x);
    seen = atomicCAS_block(at, old, next);  // RACE RACE
  } while (seen != old);
}
extern "C" __global__ void total(unsigned long long* sum) {
  add(sum, 0.5);
}

const char* const script = R"(
buffer sum double 1
launch total<<<2, 32>>>(sum)
)";
MAIN(KERNEL(total))
