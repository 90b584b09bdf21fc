// A reference count dropped with release order and an acquire before the deletion.
#include <atomic>
#include <thread>

#include "order.h"

struct Node {
  int value = 0;
};
static std::atomic<int> owners{2};

static void drop(Node* node) {
  if (owners.fetch_sub(1, std::memory_order_acq_rel) == 1) delete node;
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
