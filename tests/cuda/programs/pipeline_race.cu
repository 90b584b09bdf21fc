// cuda::pipeline of one thread: the consumer does not wait for its stage.
// CLASS: async-copy shared
#include <cuda/pipeline>

#include "tests/cuda/host/common.h"

extern "C" __global__ void copy(const int4* in, int* out) {
  __shared__ int4 tile[32];
  const int i = threadIdx.x;
  auto pipe = cuda::make_pipeline();
  pipe.producer_acquire();
  cuda::memcpy_async(&tile[i], &in[i], cuda::aligned_size_t<16>(16), pipe);  // RACE
  pipe.producer_commit();
  out[i] = tile[i].x;  // RACE
  pipe.consumer_wait();
  pipe.consumer_release();
}

const char* const script = R"(
buffer in int 128 = index
buffer out int 32
launch copy<<<1, 32>>>(in, out)
)";
MAIN(KERNEL(copy))
