// An exception leaves through a lock_guard, which gives the lock back.
#include <mutex>
#include <stdexcept>
#include <thread>

#include "order.h"

static std::mutex lock;
static int counter;

static void risky() {
  std::lock_guard<std::mutex> hold(lock);
  counter++;
  throw std::runtime_error("half way");
}

int main() {
  std::thread other([] {
    try {
      risky();
    } catch (const std::runtime_error&) {
      USE(counter >= 0 ? 1 : 0);
    }
    order_reached(1);
  });
  other.join();
  order_await(1);
  {
    std::lock_guard<std::mutex> hold(lock);
    counter++;
  }
}
