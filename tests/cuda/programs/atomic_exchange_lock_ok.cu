// A lock by cuda::atomic: exchange with acquire, store with release.
#include <cuda/atomic>

#include "tests/cuda/host/common.h"

using Lock = cuda::atomic<int, cuda::thread_scope_device>;
extern "C" __global__ void add(Lock* lock, int* sum) {
  while (lock->exchange(1, cuda::memory_order_acquire) == 1) {
  }
  *sum = *sum + 1;
  lock->store(0, cuda::memory_order_release);
}

const char* const script = R"(
buffer lock int 1
buffer sum int 1
launch add<<<4, 1>>>(lock, sum)
expect sum[0] == 4
)";
MAIN(KERNEL(add))
