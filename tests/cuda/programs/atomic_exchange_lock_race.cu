// A lock by cuda::atomic that is given back relaxed.
// CLASS: lock global
#include <cuda/atomic>

#include "tests/cuda/host/common.h"

using Lock = cuda::atomic<int, cuda::thread_scope_device>;
extern "C" __global__ void add(Lock* lock, int* sum) {
  while (lock->exchange(1, cuda::memory_order_acquire) == 1) {
  }
  *sum = *sum + 1;  // RACE RACE
  lock->store(0, cuda::memory_order_relaxed);
}

const char* const script = R"(
buffer lock int 1
buffer sum int 1
launch add<<<4, 1>>>(lock, sum)
)";
MAIN(KERNEL(add))
