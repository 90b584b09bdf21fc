// A shared_ptr that is published by atomic functions is also read plainly.
#include <memory>
#include <thread>

#include "order.h"

static auto shared = std::make_shared<const int>(1);

int main() {
  std::thread reader([] {
    USE(shared.get());  // RACE
    order_reached(1);
  });
  order_await(1);
  shared = nullptr;  // RACE
  reader.join();
}
