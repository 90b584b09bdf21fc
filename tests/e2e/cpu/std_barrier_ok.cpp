// A std::barrier separates phases, and its completion runs between them.
// STD: c++20
#include <barrier>
#include <thread>

#include "order.h"

int shared, completions;

int main() {
  auto completion = []() noexcept { completions++; };
  std::barrier barrier(2, completion);
  std::thread other([&] {
    barrier.arrive_and_wait();
    shared = 1;
    order_reached(1);
    barrier.arrive_and_wait();
  });
  barrier.arrive_and_wait();
  barrier.arrive_and_wait();
  shared = 2;
  other.join();
  return completions == 2 ? 0 : 1;
}
