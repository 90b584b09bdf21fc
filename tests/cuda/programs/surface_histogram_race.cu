// A histogram on a surface that reads, adds and writes.
// CLASS: inter-block global
#include "tests/cuda/host/common.h"

extern "C" __global__ void count(const int* values, cudaSurfaceObject_t image) {
  const int bin = values[blockIdx.x * blockDim.x + threadIdx.x] % 32;
  const int old = surf2Dread<int>(image, bin * 4, 0);  // RACE
  surf2Dwrite(old + 1, image, bin * 4, 0);             // RACE RACE2 RACE2
}

const char* const script = R"(
buffer values int 128 = index
image bins int 32 1
surface s bins
launch count<<<4, 32>>>(values, s)
expect bins >= 1
)";
MAIN(KERNEL(count))
