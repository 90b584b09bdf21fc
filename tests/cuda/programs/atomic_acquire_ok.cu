// The flag is loaded relaxed, and an acquire fence follows.
#include <cuda/atomic>

#include "tests/cuda/host/common.h"

using Flag = cuda::atomic<int, cuda::thread_scope_device>;
extern "C" __global__ void pass(int* data, Flag* flag, int* out) {
  if (blockIdx.x == 0) {
    *data = 42;
    flag->store(1, cuda::memory_order_release);
  } else {
    while (flag->load(cuda::memory_order_relaxed) == 0) {
    }
    cuda::atomic_thread_fence(cuda::memory_order_acquire, cuda::thread_scope_device);
    *out = *data;
  }
}

const char* const script = R"(
buffer data int 1
buffer flag int 1
buffer out int 1
launch pass<<<2, 1>>>(data, flag, out)
expect out[0] == 42
)";
MAIN(KERNEL(pass))
