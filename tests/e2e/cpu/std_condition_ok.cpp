// condition_variable with wait, wait_for and a predicate.
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "order.h"

static std::mutex lock;
static std::condition_variable changed;
static bool ready;
static int data;

int main() {
  std::thread producer([] {
    data = 1;
    {
      std::lock_guard<std::mutex> hold(lock);
      ready = true;
    }
    changed.notify_one();
    order_reached(1);
  });
  {
    std::unique_lock<std::mutex> hold(lock);
    while (!changed.wait_for(hold, std::chrono::seconds(5), [] { return ready; })) continue;
    changed.wait(hold, [] { return ready; });
  }
  USE(data);
  producer.join();
}
