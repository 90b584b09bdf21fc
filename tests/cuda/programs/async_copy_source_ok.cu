// The source of a cp.async is changed after the copy was waited for.
#include <cuda_pipeline.h>

#include "tests/cuda/host/common.h"

extern "C" __global__ void copy(int4* in, int* out) {
  __shared__ int4 tile[32];
  const int i = threadIdx.x;
  __pipeline_memcpy_async(&tile[i], &in[i], sizeof(int4));
  __pipeline_commit();
  __pipeline_wait_prior(0);
  in[i].x = 7;
  out[i] = tile[i].x;
}

const char* const script = R"(
buffer in int 128 = index
buffer out int 32
launch copy<<<1, 32>>>(in, out)
expect out[31] == 124
expect in[4] == 7
)";
MAIN(KERNEL(copy))
