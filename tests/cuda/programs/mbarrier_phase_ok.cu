// Inline PTX: the consumer waits for the first and then the second phase.
#include "tests/cuda/host/common.h"

__device__ void arrive(unsigned at) {
  unsigned long long token;
  asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(token) : "r"(at) : "memory");
}
__device__ void wait(unsigned at, unsigned parity) {
  unsigned done = 0;
  while (!done)
    asm volatile("{.reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p;}"
                 : "=r"(done) : "r"(at), "r"(parity) : "memory");
}
extern "C" __global__ void phases(int value, int* out) {
  __shared__ int tile[2];
  __shared__ unsigned long long object;
  const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(&object));
  if (threadIdx.x == 0) asm volatile("mbarrier.init.shared.b64 [%0], 64;" ::"r"(at) : "memory");
  __syncthreads();
  if (threadIdx.x == 0) tile[0] = value - 1;
  arrive(at);
  wait(at, 0);
  if (threadIdx.x == 0) tile[1] = value;
  if (threadIdx.x == 32) out[0] = tile[0];
  arrive(at);
  wait(at, 1);
  if (threadIdx.x == 32) out[1] = tile[1];
}

const char* const script = R"(
buffer out int 2
launch phases<<<1, 64>>>(6, out)
expect out[1] == 6
)";
MAIN(KERNEL(phases))
