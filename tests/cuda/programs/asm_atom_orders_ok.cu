// Inline PTX: a lock taken by atom.cas.acquire and given back by atom.exch.release.
#include "tests/cuda/host/common.h"

extern "C" __global__ void add(int* lock, int* sum) {
  int seen;
  do asm volatile("atom.acquire.gpu.global.cas.b32 %0, [%1], 0, 1;" : "=r"(seen) : "l"(lock) : "memory");
  while (seen != 0);
  *sum = *sum + 1;
  asm volatile("atom.release.gpu.global.exch.b32 %0, [%1], 0;" : "=r"(seen) : "l"(lock) : "memory");
}

const char* const script = R"(
buffer lock int 1
buffer sum int 1
launch add<<<4, 1>>>(lock, sum)
expect sum[0] == 4
)";
MAIN(KERNEL(add))
