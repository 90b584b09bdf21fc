// A ring of two slots with head and tail.
#include "tests/cuda/host/common.h"

extern "C" __global__ void ring(int* slots, int* head, int* tail, int* out) {
  if (blockIdx.x == 0) {
#pragma unroll 1
    for (int i = 0; i < 6; ++i) {
      while (i - atomicAdd(head, 0) >= 2) {
      }
      __threadfence();
      slots[i % 2] = i;
      __threadfence();
      atomicExch(tail, i + 1);
    }
  } else {
    int sum = 0;
#pragma unroll 1
    for (int i = 0; i < 6; ++i) {
      while (atomicAdd(tail, 0) <= i) {
      }
      __threadfence();
      sum += slots[i % 2];
      __threadfence();
      atomicExch(head, i + 1);
    }
    *out = sum;
  }
}

const char* const script = R"(
buffer slots int 2
buffer head int 1
buffer tail int 1
buffer out int 1
launch ring<<<2, 1>>>(slots, head, tail, out)
expect out[0] == 15
)";
MAIN(KERNEL(ring))
