// Warps take their place in the output by an atomic addition to the tail.
#include "tests/cuda/host/common.h"

extern "C" __global__ void compact(const int* data, int* out, int* tail) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x;
  const bool keep = data[i] % 4 == 0;
  const unsigned mask = __ballot_sync(0xffffffffu, keep);
  int base = 0;
  if (lane == 0) {
    base = atomicAdd(tail, __popc(mask));
  }
  base = __shfl_sync(0xffffffffu, base, 0);
  if (keep) out[base + __popc(mask & ((1u << lane) - 1))] = data[i];
}

const char* const script = R"(
buffer data int 128 = index
buffer out int 128
buffer tail int 1
launch compact<<<4, 32>>>(data, out, tail)
expect tail[0] == 32
)";
MAIN(KERNEL(compact))
