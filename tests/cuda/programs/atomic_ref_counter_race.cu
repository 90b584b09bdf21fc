// One block adds through cuda::atomic_ref, the other with a plain addition.
// CLASS: inter-block global
#include <cuda/atomic>

#include "tests/cuda/host/common.h"

extern "C" __global__ void add(int* sum) {
  if (blockIdx.x == 1) {
    *sum += 1;  // RACE
    return;
  }
  cuda::atomic_ref<int, cuda::thread_scope_device> all(*sum);
  all.fetch_add(1, cuda::memory_order_relaxed);  // RACE
}

const char* const script = R"(
buffer sum int 1
launch add<<<2, 1>>>(sum)
)";
MAIN(KERNEL(add))
