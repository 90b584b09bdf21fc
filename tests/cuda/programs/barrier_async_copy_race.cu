// cuda::memcpy_async bound to a barrier: read before anybody waits for the barrier.
// CLASS: async-copy shared
#include <cuda/barrier>

#include "tests/cuda/host/common.h"

using Barrier = cuda::barrier<cuda::thread_scope_block>;
extern "C" __global__ void copy(const int4* in, int* out) {
  __shared__ int4 tile[32];
  __shared__ Barrier barrier;
  const int i = threadIdx.x;
  if (i == 0) init(&barrier, blockDim.x);
  __syncthreads();
  cuda::memcpy_async(&tile[i], &in[i], cuda::aligned_size_t<16>(16), barrier);  // RACE
  const int mine = tile[i].x;  // RACE
  barrier.arrive_and_wait();
  out[i] = mine;
}

const char* const script = R"(
buffer in int 128 = index
buffer out int 32
launch copy<<<1, 32>>>(in, out)
)";
MAIN(KERNEL(copy))
