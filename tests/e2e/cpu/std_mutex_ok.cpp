// unique_lock, scoped_lock and try_to_lock hold the mutex they say.
#include <mutex>
#include <thread>

#include "order.h"

static std::mutex left, right;
static int counter;

int main() {
  std::thread other([] {
    std::unique_lock<std::mutex> hold(left);
    counter++;
    order_reached(1);
  });
  order_await(1);
  {
    std::scoped_lock hold(left, right);
    counter++;
  }
  {
    std::unique_lock<std::mutex> hold(left, std::try_to_lock);
    if (hold.owns_lock()) counter++;
  }
  other.join();
}
