// A shared_timed_mutex that was not granted in time does not protect.
#include <chrono>
#include <shared_mutex>
#include <thread>

#include "order.h"

using namespace std::chrono_literals;
static std::shared_timed_mutex lock;
static int value;

int main() {
  std::thread writer([] {
    if (!lock.try_lock_for(10s)) return;
    value++;  // RACE
    order_reached(1);
    order_await(2);
    lock.unlock();
  });
  order_await(1);
  bool held = lock.try_lock_shared_for(1ms);
  USE(value);  // RACE
  if (held) lock.unlock_shared();
  order_reached(2);
  writer.join();
}
