// Each thread waits for its own copies, then all meet at a barrier.
#include <cuda_pipeline.h>

#include "tests/cuda/host/common.h"

extern "C" __global__ void copy(const int4* in, int* out) {
  __shared__ int4 tile[64];
  const int i = threadIdx.x;
  __pipeline_memcpy_async(&tile[i], &in[i], sizeof(int4));
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  out[i] = tile[(i + 32) % 64].x;
}

const char* const script = R"(
buffer in int 256 = index
buffer out int 64
launch copy<<<1, 64>>>(in, out)
expect out[0] == 128
)";
MAIN(KERNEL(copy))
