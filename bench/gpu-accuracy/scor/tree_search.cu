// ScoR's UTS (ScoRD, figure 5): blocks have a stack of their own under a lock of block scope, and share one under a lock of device scope.
// Races: 1 no fence behind taking the block's lock, 2 none before giving it back, 3 the shared lock is taken with block scope, 4 no fence
// behind taking it, 5 a block-wide fence before giving it back, 6 it is given back before the last access.
// VARIANTS: r1=-DRACE=1 r2=-DRACE=2 r3=-DRACE=3 r4=-DRACE=4 r5=-DRACE=5 r6=-DRACE=6
#include "tests/cuda/host/common.h"
#include "scor.h"

constexpr int kRoom = 1024;

struct Stack {
  volatile int* top;
  volatile int* nodes;
  int* lock;
};

// One thread of each warp works: lanes would wait for each other's locks.
extern "C" __global__ void search(volatile int* tops, volatile int* nodes, int* locks, int rounds) {
  if (threadIdx.x % 32 != 0) return;
  const int own = blockIdx.x + 1;
  for (int round = 0; round < rounds; ++round) {
    // Its own block's stack: one node becomes two.
    Stack local = {&tops[own], nodes + own * kRoom, &locks[own]};
    while (atomicCAS_block(local.lock, 0, 1) != 0) {
    }
    if (!IS(1)) __threadfence_block();
    const int height = *local.top;
    const int node = height > 0 ? local.nodes[height - 1] : round;
    local.nodes[height] = node + 1;
    *local.top = height + 1;
    if (!IS(2)) __threadfence_block();
    atomicExch_block(local.lock, 0);
    // The stack that all share gets a node.
    Stack shared = {&tops[0], nodes, &locks[0]};
    while ((IS(3) ? atomicCAS_block(shared.lock, 0, 1) : atomicCAS(shared.lock, 0, 1)) != 0) {
    }
    if (!IS(4)) __threadfence();
    const int all = *shared.top;
    shared.nodes[all] = node;
    if (!IS(6)) *shared.top = all + 1;
    fence(IS(5));
    atomicExch(shared.lock, 0);
    if (IS(6)) *shared.top = all + 1;
  }
}

const char* const script = R"(
let blocks = 8
let rounds = 4
buffer tops int blocks + 1
buffer nodes int 1024 * (blocks + 1)
buffer locks int blocks + 1
launch search<<<blocks, 64>>>(tops, nodes, locks, rounds)
)";
MAIN(KERNEL(search))
