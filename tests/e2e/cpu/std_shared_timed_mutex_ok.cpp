// A shared_timed_mutex with try_lock_for and try_lock_shared_until.
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
    value++;
    order_reached(1);
    lock.unlock();
  });
  order_await(1);
  bool held = lock.try_lock_shared_until(std::chrono::steady_clock::now() + 10s);
  USE(value);
  if (held) lock.unlock_shared();
  writer.join();
}
