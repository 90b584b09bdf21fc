// Two threads write one variable in the same phase of a std::barrier.
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
    shared = 1;  // RACE
    order_reached(1);
    barrier.arrive_and_wait();
  });
  barrier.arrive_and_wait();
  order_await(1);
  shared = 2;  // RACE
  barrier.arrive_and_wait();
  other.join();
  return completions == 2 ? 0 : 1;
}
