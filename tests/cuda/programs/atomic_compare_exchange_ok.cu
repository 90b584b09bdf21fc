// A lock by compare_exchange_weak, device scope.
#include <cuda/atomic>

#include "tests/cuda/host/common.h"

using Lock = cuda::atomic_ref<int, cuda::thread_scope_device>;
extern "C" __global__ void add(int* word, int* sum) {
  Lock lock(*word);
  int free = 0;
  while (!lock.compare_exchange_weak(free, 1, cuda::memory_order_acquire, cuda::memory_order_relaxed))
    free = 0;
  *sum = *sum + 1;
  lock.store(0, cuda::memory_order_release);
}

const char* const script = R"(
buffer word int 1
buffer sum int 1
launch add<<<4, 1>>>(word, sum)
expect sum[0] == 4
)";
MAIN(KERNEL(add))
