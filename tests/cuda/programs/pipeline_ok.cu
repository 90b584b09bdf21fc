// cuda::pipeline of one thread with producer and consumer steps.
#include <cuda/pipeline>

#include "tests/cuda/host/common.h"

extern "C" __global__ void copy(const int4* in, int* out) {
  __shared__ int4 tile[32];
  const int i = threadIdx.x;
  auto pipe = cuda::make_pipeline();
  pipe.producer_acquire();
  cuda::memcpy_async(&tile[i], &in[i], cuda::aligned_size_t<16>(16), pipe);
  pipe.producer_commit();
  pipe.consumer_wait();
  out[i] = tile[i].x;
  pipe.consumer_release();
}

const char* const script = R"(
buffer in int 128 = index
buffer out int 32
launch copy<<<1, 32>>>(in, out)
expect out[31] == 124
)";
MAIN(KERNEL(copy))
