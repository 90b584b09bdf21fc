// try_lock_for fails, and the data is written all the same.
#include <chrono>
#include <mutex>
#include <thread>

#include "order.h"

using namespace std::chrono_literals;
static std::timed_mutex lock;
static int counter;

int main() {
  std::thread other([] {
    lock.lock();
    counter++;  // RACE
    order_reached(1);
    order_await(2);
    lock.unlock();
  });
  order_await(1);
  bool held = lock.try_lock_for(1ms);
  counter++;  // RACE
  if (held) lock.unlock();
  order_reached(2);
  other.join();
}
