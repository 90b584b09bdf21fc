// A thread reads what its own cp.async brings, without waiting for the copy.
// CLASS: async-copy shared
#include <cuda_pipeline.h>

#include "tests/cuda/host/common.h"

extern "C" __global__ void copy(const int4* in, int* out) {
  __shared__ int4 tile[32];
  const int i = threadIdx.x;
  __pipeline_memcpy_async(&tile[i], &in[i], sizeof(int4));  // RACE
  __pipeline_commit();
  out[i] = tile[i].x;  // RACE
}

const char* const script = R"(
buffer in int 128 = index
buffer out int 32
launch copy<<<1, 32>>>(in, out)
)";
MAIN(KERNEL(copy))
