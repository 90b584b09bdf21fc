// Relaxed accesses to a flag, a fence only at the consumer.
// CLASS: missing-fence global
#include <cuda/atomic>

#include "tests/cuda/host/common.h"

using Flag = cuda::atomic_ref<int, cuda::thread_scope_device>;
extern "C" __global__ void pass(int* data, int* word, int* out) {
  Flag flag(*word);
  if (blockIdx.x == 0) {
    *data = 42;  // RACE
    flag.store(1, cuda::memory_order_relaxed);
  } else {
    while (flag.load(cuda::memory_order_relaxed) == 0) {
    }
    cuda::atomic_thread_fence(cuda::memory_order_acquire, cuda::thread_scope_device);
    *out = *data;  // RACE
  }
}

const char* const script = R"(
buffer data int 1
buffer word int 1
buffer out int 1
launch pass<<<2, 1>>>(data, word, out)
)";
MAIN(KERNEL(pass))
