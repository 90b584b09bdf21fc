// The value is ready when the thread has ended; what another thread still does is not ordered by it.
#include <future>
#include <thread>

#include "order.h"

int side;

int main() {
  std::promise<int> promise;
  std::future<int> answer = promise.get_future();
  std::thread worker([&] { promise.set_value_at_thread_exit(7); });
  std::thread other([] {
    side = 1;  // RACE
    order_reached(1);
  });
  const int value = answer.get();
  order_await(1);
  side = value;  // RACE
  worker.join();
  other.join();
}
