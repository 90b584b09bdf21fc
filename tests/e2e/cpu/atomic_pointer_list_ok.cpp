// Nodes are pushed to a lock-free stack with release and taken with acquire order.
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
  node->value = value;
  Node* seen = top.load(std::memory_order_relaxed);
  do {
    node->next = seen;
  } while (
      !top.compare_exchange_weak(seen, node, std::memory_order_release, std::memory_order_relaxed));
}

int main() {
  std::thread pusher([] {
    for (int i = 0; i < 8; i++) push(&nodes[i], i + 1);
  });
  int sum = 0;
  while (sum < 36) {
    for (Node* node = top.exchange(nullptr, std::memory_order_acquire); node != nullptr;
         node = node->next)
      sum += node->value;
    sched_yield();
  }
  pusher.join();
}
