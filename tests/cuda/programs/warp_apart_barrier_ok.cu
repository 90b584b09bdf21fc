// Half of a warp waits for another warp, half goes ahead; all meet at the block's barrier.
#include "tests/cuda/host/common.h"

extern "C" __global__ void meet(int* flag, int* out, int work) {
  __shared__ int tile[64];
  const int i = threadIdx.x;
  tile[i] = i;
  if (i >= 32) {
    int sum = 0;
    for (int k = 0; k < work; ++k) sum = sum * 3 + k;
    if (sum == 12345) tile[i] = 0;
    __syncwarp();
    if (i == 32) atomicAdd(flag, 1);
  } else if (i < 16) {
    while (atomicAdd(flag, 0) == 0) {
    }
  }
  __syncthreads();
  out[i] = tile[63 - i];
}

const char* const script = R"(
buffer flag int 1
buffer out int 64
launch meet<<<1, 64>>>(flag, out, 3000)
expect out[0] == 63
)";
MAIN(KERNEL(meet))
