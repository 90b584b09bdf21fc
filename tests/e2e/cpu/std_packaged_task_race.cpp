// A packaged_task's captured reference is used before the future is ready.
#include <future>
#include <stdexcept>
#include <thread>

#include "order.h"

static int side;

int main() {
  std::packaged_task<int(int)> task([](int n) {
    side = n;  // RACE
    order_reached(1);
    return n;
  });
  std::future<int> answer = task.get_future();
  std::thread worker(std::move(task), 2);
  order_await(1);
  USE(side);  // RACE
  worker.join();
}
