// A thread waits for its cp.async before it reads what it brought.
#include <cuda_pipeline.h>

#include "tests/cuda/host/common.h"

extern "C" __global__ void copy(const int4* in, int* out) {
  __shared__ int4 tile[32];
  const int i = threadIdx.x;
  __pipeline_memcpy_async(&tile[i], &in[i], sizeof(int4));
  __pipeline_commit();
  __pipeline_wait_prior(0);
  out[i] = tile[i].x;
}

const char* const script = R"(
buffer in int 128 = index
buffer out int 32
launch copy<<<1, 32>>>(in, out)
expect out[31] == 124
)";
MAIN(KERNEL(copy))
