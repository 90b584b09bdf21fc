// Both blocks add through cuda::atomic_ref.
#include <cuda/atomic>

#include "tests/cuda/host/common.h"

extern "C" __global__ void add(int* sum) {
  cuda::atomic_ref<int, cuda::thread_scope_device> all(*sum);
  all.fetch_add(1, cuda::memory_order_relaxed);
}

const char* const script = R"(
buffer sum int 1
launch add<<<2, 1>>>(sum)
expect sum[0] == 2
)";
MAIN(KERNEL(add))
