// Unbalanced tree search: nodes make a number of children that only they know; all threads take nodes from one queue and put children
// into it. After ScoR's UTS. Checked against a count by one thread. Racy twin: a node is marked as ready without a fence.
// VARIANTS: racy=-DRACY
#include "tests/cuda/host/common.h"

constexpr int kMostDepth = 20;

struct Node {
  unsigned name, depth;
};

__device__ unsigned mixed(unsigned x) {
  x = (x ^ x >> 16) * 0x7feb352du;
  x = (x ^ x >> 15) * 0x846ca68bu;
  return x ^ x >> 16;
}
__device__ int children(Node node, int width) {
  if (node.depth == 0) return width;
  return node.depth >= kMostDepth ? 0 : mixed(node.name) % 4 * (mixed(node.name + 1) % 8 < 5);
}
__device__ Node child(Node node, int k) {
  return {mixed(node.name * 31 + k + 1), node.depth + 1};
}

extern "C" __global__ void search(Node* nodes, int* ready, int* state, int room, int width) {
  int* const head = &state[0];
  int* const tail = &state[1];
  int* const pending = &state[2];
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    nodes[0] = {1, 0};
    __threadfence();
    atomicExch(&ready[0], 1);
    atomicExch(tail, 1);
  }
  while (atomicAdd(pending, 0) > 0) {
    const int at = atomicAdd(head, 0);
    if (at >= atomicAdd(tail, 0) || atomicCAS(head, at, at + 1) != at) continue;
    while (atomicAdd(&ready[at], 0) == 0) {
    }
    __threadfence();
    const Node node = nodes[at];  // RACE
    const int count = children(node, width);
    atomicAdd(pending, count);
    for (int k = 0; k < count; ++k) {
      const int to = atomicAdd(tail, 1);
      if (to >= room) break;
      nodes[to] = child(node, k);  // RACE
#ifndef RACY
      __threadfence();
#endif
      atomicExch(&ready[to], 1);
    }
    atomicSub(pending, 1);
  }
}

extern "C" __global__ void check(const int* state, int width, int* errors) {
  Node stack[3 * kMostDepth];  // of one of the root's children: three siblings at every depth
  const Node root = {1, 0};
  int count = 1;
  for (int first = 0; first < width; ++first) {
    int height = 1;
    stack[0] = child(root, first);
    while (height > 0) {
      const Node node = stack[--height];
      ++count;
      const int n = children(node, width);
      for (int k = 0; k < n; ++k) stack[height++] = child(node, k);
    }
  }
  if (count != state[1]) *errors = 1 + count;
}

extern "C" __global__ void put(int* state) {
  state[2] = 1;
}

const char* const script = R"(
let width = 60
let room = 40000
let blocks = 4
buffer nodes uint 2 * room
buffer ready int room
buffer state int 3
buffer errors int 1
launch put<<<1, 1>>>(state)
launch search<<<blocks, 64>>>(nodes, ready, state, room, width)
launch check<<<1, 1>>>(state, width, errors)
expect errors[0] == 0
)";
MAIN(KERNEL(put), KERNEL(search), KERNEL(check))
