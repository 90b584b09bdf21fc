// unique_lock is given up before the last write.
#include <mutex>
#include <thread>

#include "order.h"

static std::mutex left, right;
static int counter;

int main() {
  std::thread other([] {
    std::unique_lock<std::mutex> hold(left);
    hold.unlock();
    counter++;  // RACE
    order_reached(1);
  });
  order_await(1);
  {
    std::scoped_lock hold(left);
    counter++;  // RACE
  }
  other.join();
}
