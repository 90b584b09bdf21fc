// A histogram on a surface, by reductions.
#include "tests/cuda/host/common.h"

extern "C" __global__ void count(const int* values, cudaSurfaceObject_t image) {
  const int bin = values[blockIdx.x * blockDim.x + threadIdx.x] % 32;
  asm volatile("sured.b.add.2d.u32.trap [%0, {%1, %2}], %3;" ::"l"(image), "r"(bin * 4), "r"(0),
               "r"(1));
}

const char* const script = R"(
buffer values int 128 = index
image bins int 32 1
surface s bins
launch count<<<4, 32>>>(values, s)
expect bins == 4
)";
MAIN(KERNEL(count))
