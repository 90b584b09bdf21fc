// Nodes are pushed to a lock-free stack with a relaxed compare-exchange.
#include <sched.h>

#include <atomic>
#include <thread>

#include "order.h"

struct Node {
  int value = 0;
  Node* next = nullptr;
};
static Node nodes[8];
static std::atomic<Node*> top{nullptr};

static void push(Node* node, int value) {
  node->value = value;  // RACE
  Node* seen = top.load(std::memory_order_relaxed);
  do {
  } while (!top.compare_exchange_weak(seen, node, std::memory_order_relaxed));
}

int main() {
  std::thread pusher([] { push(&nodes[0], 1); });
  int sum = 0;
  for (Node* node = nullptr; sum == 0; sched_yield()) {
    node = top.exchange(nullptr, std::memory_order_acquire);
    if (node != nullptr) sum += node->value;  // RACE
  }
  pusher.join();
}
