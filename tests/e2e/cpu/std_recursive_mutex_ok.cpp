// A recursive_mutex stays held until its last unlock.
#include <mutex>
#include <thread>

#include "order.h"

static std::recursive_mutex lock;
static int counter;

int main() {
  std::thread other([] {
    lock.lock();
    lock.lock();
    lock.unlock();
    counter++;
    lock.unlock();
    order_reached(1);
  });
  order_await(1);
  lock.lock();
  counter++;
  lock.unlock();
  other.join();
}
