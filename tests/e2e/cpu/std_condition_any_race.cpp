// condition_variable_any wakes a reader that holds the lock shared and writes.
#include <condition_variable>
#include <shared_mutex>
#include <thread>

#include "order.h"

static std::shared_mutex lock;
static std::condition_variable_any changed;
static bool ready;
static int wakeups;

static void waiter() {
  std::shared_lock<std::shared_mutex> hold(lock);
  changed.wait(hold, [] { return ready; });
  wakeups++;  // RACE RACE
  order_arrived();
  order_await(2);
}

int main() {
  std::thread first(waiter), second(waiter);
  {
    std::unique_lock<std::shared_mutex> hold(lock);
    wakeups = 1;
    ready = true;
  }
  changed.notify_all();
  first.join();
  second.join();
}
