// notify_all_at_thread_exit gives the lock back at the end of the thread: all that it did comes before.
#include <condition_variable>
#include <mutex>
#include <thread>

#include "order.h"

static std::mutex lock;
static std::condition_variable changed;
static bool done;
static int late;

int main() {
  for (int i = 0; i < 10; i++) {
    done = false;
    std::thread worker([] {
      std::unique_lock<std::mutex> mine(lock);
      done = true;
      std::notify_all_at_thread_exit(changed, std::move(mine));
      late++;
    });
    {
      std::unique_lock<std::mutex> mine(lock);
      changed.wait(mine, [] { return done; });
      late++;
    }
    worker.join();
  }
  return late == 20 ? 0 : 1;
}
