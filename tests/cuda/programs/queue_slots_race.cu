// A consumer takes a slot of the queue as soon as the tail is past it, before the slot is filled.
// CLASS: inter-block global
#include "tests/cuda/host/common.h"

extern "C" __global__ void queue(int* slots, int* filled, int* tail, int* out) {
  if (blockIdx.x < 2) {
    const int at = atomicAdd(tail, 1);
    slots[at] = 10 + at;  // RACE
  } else {
    const int at = blockIdx.x - 2;
    while (atomicAdd(tail, 0) <= at) {
    }
    __threadfence();
    out[at] = slots[at];  // RACE
  }
}

const char* const script = R"(
buffer slots int 2
buffer filled int 2
buffer tail int 1
buffer out int 2
launch queue<<<4, 1>>>(slots, filled, tail, out)
)";
MAIN(KERNEL(queue))
