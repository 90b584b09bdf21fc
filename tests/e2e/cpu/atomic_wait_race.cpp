// A waiter woken by an atomic's notify has relaxed order.
// STD: c++20
#include <atomic>
#include <thread>

#include "order.h"

static std::atomic<int> ready{0};
static int data;

int main() {
  std::thread producer([] {
    data = 1;  // RACE
    ready.store(1, std::memory_order_release);
    ready.notify_one();
  });
  ready.wait(0, std::memory_order_relaxed);
  USE(data);  // RACE
  producer.join();
}
