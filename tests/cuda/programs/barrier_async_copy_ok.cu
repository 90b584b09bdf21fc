// cuda::memcpy_async bound to a barrier that all wait for.
#include <cuda/barrier>

#include "tests/cuda/host/common.h"

using Barrier = cuda::barrier<cuda::thread_scope_block>;
extern "C" __global__ void copy(const int4* in, int* out) {
  __shared__ int4 tile[32];
  __shared__ Barrier barrier;
  const int i = threadIdx.x;
  if (i == 0) init(&barrier, blockDim.x);
  __syncthreads();
  cuda::memcpy_async(&tile[i], &in[i], cuda::aligned_size_t<16>(16), barrier);
  barrier.arrive_and_wait();
  const int mine = tile[31 - i].x;
  out[i] = mine;
}

const char* const script = R"(
buffer in int 128 = index
buffer out int 32
launch copy<<<1, 32>>>(in, out)
expect out[0] == 124
)";
MAIN(KERNEL(copy))
