// A function pointer leads both blocks to the function that writes the same place.
// CLASS: inter-block global
#include "tests/cuda/host/common.h"

using Work = void (*)(int*);
__device__ __noinline__ void first(int* out) {
  out[0] = blockIdx.x + 1;  // RACE RACE
}
__device__ __noinline__ void second(int* out) {
  out[1] = blockIdx.x + 1;
}
__device__ Work table[2] = {first, second};

extern "C" __global__ void dispatch(int* out, int step) {
  table[blockIdx.x * step](out);
}

const char* const script = R"(
buffer out int 2
launch dispatch<<<2, 1>>>(out, 0)
)";
MAIN(KERNEL(dispatch))
