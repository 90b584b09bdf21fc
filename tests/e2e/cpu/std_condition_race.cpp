// notify_one alone orders nothing: the flag must be under the mutex.
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
    data = 1;  // RACE
    changed.notify_one();
    order_reached(1);
  });
  order_await(1);
  {
    std::unique_lock<std::mutex> hold(lock);
    changed.wait_for(hold, std::chrono::milliseconds(1));
  }
  USE(data);  // RACE
  producer.join();
}
