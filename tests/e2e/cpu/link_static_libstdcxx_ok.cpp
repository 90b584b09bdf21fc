// The C++ library is linked statically: its threads, locks and exceptions work.
// FLAGS: -static-libstdc++ -static-libgcc
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>

#include "order.h"

static std::mutex lock;
static std::string text;

int main() {
  std::thread other([] {
    std::lock_guard<std::mutex> hold(lock);
    try {
      throw std::runtime_error("thrown");
    } catch (const std::exception& error) {
      text += error.what();
    }
    order_reached(1);
  });
  order_await(1);
  std::lock_guard<std::mutex> hold(lock);
  text += "!";
  other.join();
}
