// Two warps store their fragments to the same tile.
// CLASS: intra-block global
#include <mma.h>

#include "tests/cuda/host/common.h"

namespace wmma = nvcuda::wmma;
extern "C" __global__ void fill(float* out) {
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
  wmma::fill_fragment(sum, 1.0f + threadIdx.x / 32);
  wmma::store_matrix_sync(out + threadIdx.x / 32 * 8, sum, 16, wmma::mem_col_major);  // RACE RACE
}

const char* const script = R"(
buffer out float 512
launch fill<<<1, 64>>>(out)
)";
MAIN(KERNEL(fill))
