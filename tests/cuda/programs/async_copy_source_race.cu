// The source of a cp.async is changed before the copy is waited for.
// CLASS: async-copy global
#include <cuda_pipeline.h>

#include "tests/cuda/host/common.h"

extern "C" __global__ void copy(int4* in, int* out) {
  __shared__ int4 tile[32];
  const int i = threadIdx.x;
  __pipeline_memcpy_async(&tile[i], &in[i], sizeof(int4));  // RACE
  __pipeline_commit();
  in[i].x = 7;  // RACE
  __pipeline_wait_prior(0);
  out[i] = tile[i].x;
}

const char* const script = R"(
buffer in int 128 = index
buffer out int 32
launch copy<<<1, 32>>>(in, out)
)";
MAIN(KERNEL(copy))
