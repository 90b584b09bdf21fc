// An exception leaves through a lock_guard: what the handler writes is no longer protected.
#include <mutex>
#include <stdexcept>
#include <thread>

#include "order.h"

static std::mutex lock;
static int counter;

static void risky() {
  std::lock_guard<std::mutex> hold(lock);
  throw std::runtime_error("half way");
}

int main() {
  std::thread other([] {
    try {
      risky();
    } catch (const std::runtime_error&) {
      counter++;  // RACE
    }
    order_reached(1);
  });
  order_await(1);
  {
    std::lock_guard<std::mutex> hold(lock);
    counter++;  // RACE
  }
  other.join();
}
