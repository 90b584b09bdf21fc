// Double buffering by cp.async into the buffer that the block still reads.
// CLASS: async-copy shared
#include <cuda_pipeline.h>

#include "tests/cuda/host/common.h"

extern "C" __global__ void stream(const int4* in, int* out) {
  __shared__ int4 tile[2][64];
  const int i = threadIdx.x;
  int sum = 0;
  __pipeline_memcpy_async(&tile[0][i], &in[i], sizeof(int4));
  __pipeline_commit();
#pragma unroll 1
  for (int t = 0; t < 3; ++t) {
    __pipeline_wait_prior(0);
    __syncthreads();
    __pipeline_memcpy_async(&tile[t % 2][i], &in[(t + 1) * 64 + i], sizeof(int4));  // RACE
    __pipeline_commit();
    sum += tile[t % 2][(i + 32) % 64].x;  // RACE
    __pipeline_wait_prior(0);
    __syncthreads();
    tile[(t + 1) % 2][i] = tile[t % 2][i];
  }
  __pipeline_wait_prior(0);
  out[i] = sum;
}

const char* const script = R"(
buffer in int 1024 = 1
buffer out int 64
launch stream<<<1, 64>>>(in, out)
)";
MAIN(KERNEL(stream))
