// Two arrays in dynamic shared memory that overlap by a wrong offset.
// CLASS: intra-block shared
#include "tests/cuda/host/common.h"

extern "C" __global__ void split(int* out) {
  extern __shared__ int room[];
  int* const first = room;
  int* const second = room + 16;
  const int i = threadIdx.x;
  if (i < 32) {
    first[i] = i;  // RACE
  } else {
    second[i - 32] = 2 * i;  // RACE
  }
  __syncthreads();
  out[i] = i < 32 ? first[i] : second[i - 32];
}

const char* const script = R"(
buffer out int 64
launch split<<<1, 64, 256>>>(out)
)";
MAIN(KERNEL(split))
