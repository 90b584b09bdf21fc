// cuda::barrier without mbarrier instructions: data is written after arriving.
// CLASS: intra-block shared
// ARCH: 75
#include <cuda/barrier>

#include "tests/cuda/host/common.h"

using Barrier = cuda::barrier<cuda::thread_scope_block>;
extern "C" __global__ void reverse(int* data) {
  __shared__ int tile[64];
  __shared__ Barrier barrier;
  const int i = threadIdx.x;
  if (i == 0) init(&barrier, blockDim.x);
  __syncthreads();
  barrier.arrive_and_wait();
  tile[i] = data[i];  // RACE
  data[i] = tile[63 - i];  // RACE
}

const char* const script = R"(
buffer data int 64 = index
launch reverse<<<1, 64>>>(data)
)";
MAIN(KERNEL(reverse))
