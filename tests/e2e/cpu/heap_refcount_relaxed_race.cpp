// A reference count that is dropped with relaxed order does not protect the deletion.
#include <atomic>
#include <thread>

#include "order.h"

struct Node {
  int value = 0;
};
static std::atomic<int> owners{2};

static void drop(Node* node) {
  if (owners.fetch_sub(1, std::memory_order_relaxed) == 1) delete node;  // RACE
}

int main() {
  Node* node = new Node;
  std::thread other([node] {
    node->value = 1;  // RACE
    drop(node);
    order_reached(1);
  });
  order_await(1);
  drop(node);
  other.join();
}
