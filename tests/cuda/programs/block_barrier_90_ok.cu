// cuda::barrier by try_wait, two rounds.
// ARCH: 90
#include <cuda/barrier>

#include "tests/cuda/host/common.h"

using Barrier = cuda::barrier<cuda::thread_scope_block>;
extern "C" __global__ void rounds(int* out) {
  __shared__ int tile[64];
  __shared__ Barrier barrier;
  const int i = threadIdx.x;
  if (i == 0) init(&barrier, blockDim.x);
  __syncthreads();
  tile[i] = i;
  barrier.arrive_and_wait();
  const int first = tile[63 - i];
  barrier.arrive_and_wait();
  tile[i] = 2 * i;
  barrier.arrive_and_wait();
  out[i] = first + tile[63 - i];
}

const char* const script = R"(
buffer out int 64
launch rounds<<<1, 64>>>(out)
expect out[0] == 189
)";
MAIN(KERNEL(rounds))
