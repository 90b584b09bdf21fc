// One thread uses atomic_ref, the other the plain variable.
// STD: c++20
#include <atomic>
#include <thread>

#include "order.h"

static long counter;

int main() {
  std::thread other([] {
    std::atomic_ref<long>(counter).fetch_add(1, std::memory_order_relaxed);  // RACE
    order_reached(1);
  });
  order_await(1);
  counter++;  // RACE
  other.join();
  return counter == 2 ? 0 : 1;
}
