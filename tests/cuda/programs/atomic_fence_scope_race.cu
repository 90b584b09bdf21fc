// A release fence of block scope before a flag for another block.
// CLASS: scoped-fence global
#include <cuda/atomic>

#include "tests/cuda/host/common.h"

using Flag = cuda::atomic_ref<int, cuda::thread_scope_device>;
extern "C" __global__ void pass(int* data, int* word, int* out) {
  Flag flag(*word);
  if (blockIdx.x == 0) {
    *data = 42;  // RACE
    cuda::atomic_thread_fence(cuda::memory_order_seq_cst, cuda::thread_scope_block);
    flag.store(1, cuda::memory_order_relaxed);
  } else {
    while (flag.load(cuda::memory_order_acquire) == 0) {
    }
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
