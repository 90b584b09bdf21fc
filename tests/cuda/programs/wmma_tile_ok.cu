// Two warps fill a tile, a barrier, then each loads it as a fragment.
#include <mma.h>

#include "tests/cuda/host/common.h"

namespace wmma = nvcuda::wmma;
extern "C" __global__ void square(float* out) {
  __shared__ __align__(32) half tile[256];
  const int i = threadIdx.x;
  for (int j = 0; j < 4; ++j) tile[j * 64 + i] = __float2half(j * 64 + i == (i % 16) * 17 ? 2.0f : 0.0f);
  __syncthreads();
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> b;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
  wmma::fill_fragment(sum, 1.0f);
  wmma::load_matrix_sync(a, tile, 16);
  wmma::load_matrix_sync(b, tile, 16);
  wmma::mma_sync(sum, a, b, sum);
  wmma::store_matrix_sync(out + i / 32 * 256, sum, 16, wmma::mem_row_major);
}

const char* const script = R"(
buffer out float 512
launch square<<<1, 64>>>(out)
expect out[0] == 5
expect out[1] == 1
expect out[511] == 5
)";
MAIN(KERNEL(square))
