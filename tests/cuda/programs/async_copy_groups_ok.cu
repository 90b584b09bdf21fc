// A thread waits for all groups of copies but the last, and reads what the first brought.
#include <cuda_pipeline.h>

#include "tests/cuda/host/common.h"

extern "C" __global__ void copy(const int4* in, int* out) {
  __shared__ int4 tile[2][32];
  const int i = threadIdx.x;
  __pipeline_memcpy_async(&tile[0][i], &in[i], sizeof(int4));
  __pipeline_commit();
  __pipeline_memcpy_async(&tile[1][i], &in[32 + i], sizeof(int4));
  __pipeline_commit();
  __pipeline_wait_prior(1);
  out[i] = tile[0][i].x;
  __pipeline_wait_prior(0);
}

const char* const script = R"(
buffer in int 256 = index
buffer out int 32
launch copy<<<1, 32>>>(in, out)
expect out[31] == 124
)";
MAIN(KERNEL(copy))
