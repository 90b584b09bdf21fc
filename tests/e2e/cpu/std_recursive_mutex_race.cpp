// A recursive_mutex is unlocked once too often before the write.
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
    lock.unlock();
    counter++;  // RACE
    order_reached(1);
  });
  order_await(1);
  lock.lock();
  counter++;  // RACE
  lock.unlock();
  other.join();
}
