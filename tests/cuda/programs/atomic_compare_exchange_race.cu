// A lock by compare_exchange_weak, block scope, between blocks.
// CLASS: scoped-atomic global
#include <cuda/atomic>

#include "tests/cuda/host/common.h"

using Lock = cuda::atomic_ref<int, cuda::thread_scope_block>;
extern "C" __global__ void add(int* word, int* sum) {
  Lock lock(*word);
  int free = 0;
  while (!lock.compare_exchange_weak(free, 1, cuda::memory_order_acquire, cuda::memory_order_relaxed))  // RACE RACE3? RACE3?
    free = 0;
  *sum = *sum + 1;  // RACE2 RACE2
  lock.store(0, cuda::memory_order_release);  // RACE RACE4? RACE4?
}

const char* const script = R"(
buffer word int 1
buffer sum int 1
launch add<<<4, 1>>>(word, sum)
)";
MAIN(KERNEL(add))
