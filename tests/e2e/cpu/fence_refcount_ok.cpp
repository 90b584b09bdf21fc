// A reference count dropped with release order and an acquire fence before the deletion.
#include <atomic>
#include <thread>

#include "order.h"

struct Node {
  int value = 0;
};
static std::atomic<int> owners{2};

static void drop(Node* node) {
  if (owners.fetch_sub(1, std::memory_order_release) != 1) return;
  std::atomic_thread_fence(std::memory_order_acquire);
  delete node;
}

int main() {
  Node* node = new Node;
  std::thread other([node] {
    node->value = 1;
    drop(node);
    order_reached(1);
  });
  order_await(1);
  drop(node);
  other.join();
}
