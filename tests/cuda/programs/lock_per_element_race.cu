// A lock for every bucket, taken for the wrong bucket.
// CLASS: lock global
#include "tests/cuda/host/common.h"

extern "C" __global__ void insert(int* locks, int* buckets) {
  const int key = blockIdx.x;
  int* const lock = &locks[key];
  while (atomicCAS(lock, 0, 1) != 0) {
  }
  __threadfence();
  buckets[key % 2] += key;  // RACE RACE
  __threadfence();
  atomicExch(lock, 0);
}

const char* const script = R"(
buffer locks int 4
buffer buckets int 2
launch insert<<<4, 1>>>(locks, buckets)
)";
MAIN(KERNEL(insert))
