// A shared_ptr is published and read by the atomic functions.
#include <memory>
#include <thread>

#include "order.h"

static auto shared = std::make_shared<const int>(1);

int main() {
  std::thread reader([] {
    USE(*std::atomic_load(&shared));
    order_reached(1);
  });
  order_await(1);
  std::atomic_store(&shared, std::make_shared<const int>(2));
  reader.join();
}
