// ScoR's GCOL (ScoRD, figure 3): blocks colour their part of a graph and steal from others when they are done.
// Races, each an atomic of block scope or none: 1 taking one's own work, 2 stealing, 3 looking at another's head, 4 a colour that is set,
// 5 a colour that is read, 6 counting what is coloured.
// VARIANTS: r1=-DRACE=1 r2=-DRACE=2 r3=-DRACE=3 r4=-DRACE=4 r5=-DRACE=5 r6=-DRACE=6
#include "tests/cuda/host/common.h"
#include "scor.h"

constexpr int kChunk = 32;

extern "C" __global__ void colour(int* colours, int* heads, int* coloured, int n, int part) {
  for (int turn = 0; turn < gridDim.x; ++turn) {
    const int owner = (blockIdx.x + turn) % gridDim.x;
    for (;;) {
      int first = 0;
      if (threadIdx.x == 0) {
        const int seen = IS(3) ? static_cast<volatile int*>(heads)[owner] : atomicAdd(&heads[owner], 0);
        first = seen;
        if (seen < part) {
          if (turn == 0) {
            first = IS(1) ? atomicAdd_block(&heads[owner], kChunk) : atomicAdd(&heads[owner], kChunk);
          } else {
            first = IS(2) ? atomicAdd_block(&heads[owner], kChunk) : atomicAdd(&heads[owner], kChunk);
          }
        }
      }
      first = __shfl_sync(0xffffffffu, first, 0);
      if (first >= part) break;
      const int v = owner * part + first + threadIdx.x;
      unsigned used = 1;
      for (const int step : {1, n - 1, 37, n - 37}) {
        int* const at = &colours[(v + step) % n];
        used |= 1u << (IS(5) ? *static_cast<volatile int*>(at) : atomicAdd(at, 0));
      }
      const int mine = __ffs(~used) - 1;
      if (IS(4)) {
        atomicExch_block(&colours[v], mine);
      } else {
        atomicExch(&colours[v], mine);
      }
      if (threadIdx.x == 0) IS(6) ? atomicAdd_block(coloured, kChunk) : atomicAdd(coloured, kChunk);
    }
  }
}

const char* const script = R"(
let n = 2048
let blocks = 8
buffer colours int n
buffer heads int blocks
buffer coloured int 1
launch colour<<<blocks, 32>>>(colours, heads, coloured, n, n / blocks)
)";
MAIN(KERNEL(colour))
