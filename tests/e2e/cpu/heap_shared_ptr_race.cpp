// Two threads copy and assign one shared_ptr object: the counts are atomic, the pointer is not.
#include <memory>
#include <thread>

#include "order.h"

struct Thing {
  int value = 1;
};

int main() {
  auto shared = std::make_shared<Thing>();
  auto spare = std::make_shared<Thing>();
  std::thread other([&] {
    Thing* raw = shared.get();  // RACE
    USE(raw);
    order_reached(1);
  });
  order_await(1);
  shared.swap(spare);  // RACE
  other.join();
}
