// timed_mutex and recursive_timed_mutex with try_lock_for and try_lock_until.
#include <chrono>
#include <mutex>
#include <thread>

#include "order.h"

using namespace std::chrono_literals;
static std::timed_mutex lock;
static std::recursive_timed_mutex again;
static int counter;

int main() {
  std::thread other([] {
    lock.lock();
    counter++;
    order_reached(1);
    lock.unlock();
    if (again.try_lock_until(std::chrono::steady_clock::now() + 10s)) {
      counter++;
      again.unlock();
    }
  });
  order_await(1);
  if (!lock.try_lock_for(10s)) return 1;
  lock.unlock();
  other.join();
  if (!again.try_lock_for(10s)) return 1;
  counter++;
  again.unlock();
}
