// A cuda::std::atomic (system scope) with relaxed order only.
// CLASS: missing-fence global
#include <cuda/atomic>

#include "tests/cuda/host/common.h"

using Flag = cuda::std::atomic<int>;
extern "C" __global__ void pass(int* data, Flag* flag, int* out) {
  if (blockIdx.x == 0) {
    *data = 42;  // RACE
    flag->store(1, cuda::std::memory_order_relaxed);
  } else {
    while (flag->load(cuda::std::memory_order_relaxed) == 0) {
    }
    *out = *data;  // RACE
  }
}

const char* const script = R"(
buffer data int 1
buffer flag int 1
buffer out int 1
launch pass<<<2, 1>>>(data, flag, out)
)";
MAIN(KERNEL(pass))
