// Lanes hand values on through shared memory in a loop with a branch, without __syncwarp.
#include "tests/cuda/host/common.h"

extern "C" __global__ void reduce(const int* in, int* out) {
  __shared__ int box[32];
  const int lane = threadIdx.x;
  int sum = in[lane];
#pragma unroll 1
  for (int step = 16; step > 0; step /= 2) {
    if (lane >= step) box[lane] = sum;  // RACE
    if (lane < step) sum += box[lane + step];  // RACE
  }
  if (lane == 0) *out = sum;
}

const char* const script = R"(
buffer in int 32 = 2
buffer out int 1
launch reduce<<<1, 32>>>(in, out)
)";
MAIN(KERNEL(reduce))
