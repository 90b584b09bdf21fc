// A cuda::atomic of block scope between two warps of a block.
#include <cuda/atomic>

#include "tests/cuda/host/common.h"

using Flag = cuda::atomic<int, cuda::thread_scope_block>;
extern "C" __global__ void pass(int* data, Flag* flag, int* out) {
  const int who = threadIdx.x / 32;
  if (threadIdx.x % 32 != 0) return;
  if (who == 0) {
    *data = 42;
    flag->store(1, cuda::memory_order_release);
  } else {
    while (flag->load(cuda::memory_order_acquire) == 0) {
    }
    *out = *data;
  }
}

const char* const script = R"(
buffer data int 1
buffer flag int 1
buffer out int 1
launch pass<<<1, 64>>>(data, flag, out)
expect out[0] == 42
)";
MAIN(KERNEL(pass))
