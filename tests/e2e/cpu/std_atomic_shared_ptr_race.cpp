// Two threads have the same object by a std::atomic<std::shared_ptr>, and both change it.
// STD: c++20
#include <atomic>
#include <memory>
#include <thread>

#include "order.h"

static std::atomic<std::shared_ptr<int>> current(std::make_shared<int>(1));

int main() {
  std::thread first([] {
    const std::shared_ptr<int> mine = current.load();
    *mine = 2;  // RACE
    order_reached(1);
    order_await(2);
  });
  std::thread second([] {
    order_await(1);
    const std::shared_ptr<int> mine = current.load();
    *mine = 3;  // RACE
    order_reached(2);
  });
  first.join();
  second.join();
}
