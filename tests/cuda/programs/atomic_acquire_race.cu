// The flag is loaded relaxed: enough for the papers, not for the PTX model.
// CLASS: missing-fence global
#include <cuda/atomic>

#include "tests/cuda/host/common.h"

using Flag = cuda::atomic<int, cuda::thread_scope_device>;
extern "C" __global__ void pass(int* data, Flag* flag, int* out) {
  if (blockIdx.x == 0) {
    *data = 42;  // RACE@ptx
    flag->store(1, cuda::memory_order_release);
  } else {
    while (flag->load(cuda::memory_order_relaxed) == 0) {
    }
    *out = *data;  // RACE@ptx
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
