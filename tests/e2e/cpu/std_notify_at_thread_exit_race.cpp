// notify_all_at_thread_exit keeps the lock until the end of the thread; somebody looks without it.
#include <condition_variable>
#include <mutex>
#include <thread>

#include "order.h"

static std::mutex lock;
static std::condition_variable changed;
int late;

int main() {
  std::thread worker([] {
    std::unique_lock<std::mutex> mine(lock);
    std::notify_all_at_thread_exit(changed, std::move(mine));
    late = 1;  // RACE
    order_reached(1);
  });
  order_await(1);
  late = 2;  // RACE
  worker.join();
}
