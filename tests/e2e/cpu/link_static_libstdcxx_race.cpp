// The C++ library is linked statically: races are found as before.
// FLAGS: -static-libstdc++ -static-libgcc
#include <mutex>
#include <stdexcept>
#include <thread>

#include "order.h"

static std::mutex lock;
int caught;

int main() {
  std::thread other([] {
    std::lock_guard<std::mutex> hold(lock);
    try {
      throw std::runtime_error("thrown");
    } catch (const std::exception& error) {
      caught++;  // RACE
    }
    order_reached(1);
  });
  order_await(1);
  caught++;  // RACE
  other.join();
}
