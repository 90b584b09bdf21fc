// A consumer waits until its slot of the queue is marked as filled.
#include "tests/cuda/host/common.h"

extern "C" __global__ void queue(int* slots, int* filled, int* tail, int* out) {
  if (blockIdx.x < 2) {
    const int at = atomicAdd(tail, 1);
    slots[at] = 10 + at;
    __threadfence();
    atomicExch(&filled[at], 1);
  } else {
    const int at = blockIdx.x - 2;
    while (atomicAdd(&filled[at], 0) == 0) {
    }
    __threadfence();
    out[at] = slots[at];
  }
}

const char* const script = R"(
buffer slots int 2
buffer filled int 2
buffer tail int 1
buffer out int 2
launch queue<<<4, 1>>>(slots, filled, tail, out)
expect out[0] == 10
expect out[1] == 11
)";
MAIN(KERNEL(queue))
