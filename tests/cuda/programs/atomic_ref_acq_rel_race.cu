// The last of all blocks sums up; blocks count themselves relaxed.
// CLASS: missing-fence global
#include <cuda/atomic>

#include "tests/cuda/host/common.h"

extern "C" __global__ void last(int* parts, int* done, int* out) {
  parts[blockIdx.x] = blockIdx.x + 1;  // RACE
  cuda::atomic_ref<int, cuda::thread_scope_device> count(*done);
  const int before = count.fetch_add(1, cuda::memory_order_relaxed);
  if (before == 3) {
    int sum = 0;
#pragma unroll 1
    for (int i = 0; i < 4; ++i) sum += parts[i];  // RACE
    *out = sum;
  }
}

const char* const script = R"(
buffer parts int 4
buffer done int 1
buffer out int 1
launch last<<<4, 1>>>(parts, done, out)
)";
MAIN(KERNEL(last))
