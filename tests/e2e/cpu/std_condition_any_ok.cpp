// condition_variable_any waits with a shared_lock.
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
  USE(wakeups);
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
