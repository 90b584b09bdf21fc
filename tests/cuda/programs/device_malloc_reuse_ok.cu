// Blocks allocate, use and free; what one has freed another may be given.
#include "tests/cuda/host/common.h"

__device__ int kept[4];
extern "C" __global__ void rounds(int* out) {
  int sum = 0;
  for (int round = 0; round < 100; ++round) {
    int* const room = static_cast<int*>(malloc(1 << 19));
    if (room == nullptr) break;
    room[0] = round;
    room[1] = blockIdx.x;
    sum += room[0] + room[1];
    free(room);
  }
  out[blockIdx.x] = sum;
}

const char* const script = R"(
buffer out int 4
launch rounds<<<4, 1>>>(out)
expect out[0] == 4950
expect out[3] == 5250
)";
MAIN(KERNEL(rounds))
