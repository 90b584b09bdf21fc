// cuda::barrier: the consumer reads after waiting.
#include <cuda/barrier>

#include "tests/cuda/host/common.h"

using Barrier = cuda::barrier<cuda::thread_scope_block>;
extern "C" __global__ void reverse(int* data) {
  __shared__ int tile[64];
  __shared__ Barrier barrier;
  const int i = threadIdx.x;
  if (i == 0) init(&barrier, blockDim.x);
  __syncthreads();
  tile[i] = data[i];
  Barrier::arrival_token token = barrier.arrive();
  barrier.wait(std::move(token));
  const int other = tile[63 - i];
  data[i] = other;
}

const char* const script = R"(
buffer data int 64 = index
launch reverse<<<1, 64>>>(data)
expect data[0] == 63
)";
MAIN(KERNEL(reverse))
