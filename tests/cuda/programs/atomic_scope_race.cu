// A cuda::atomic of block scope between two blocks.
// CLASS: scoped-atomic global
#include <cuda/atomic>

#include "tests/cuda/host/common.h"

using Flag = cuda::atomic<int, cuda::thread_scope_block>;
extern "C" __global__ void pass(int* data, Flag* flag, int* out) {
  const int who = blockIdx.x;
  if (threadIdx.x % 32 != 0) return;
  if (who == 0) {
    *data = 42;  // RACE2
    flag->store(1, cuda::memory_order_release);  // RACE
  } else {
    while (flag->load(cuda::memory_order_acquire) == 0) {  // RACE
    }
    *out = *data;  // RACE2
  }
}

const char* const script = R"(
buffer data int 1
buffer flag int 1
buffer out int 1
launch pass<<<2, 1>>>(data, flag, out)
)";
MAIN(KERNEL(pass))
