// A packaged_task hands its result through its future, and an exception too.
#include <future>
#include <stdexcept>
#include <thread>

#include "order.h"

static int side;

int main() {
  std::packaged_task<int(int)> task([](int n) {
    side = n;
    order_reached(1);
    if (n > 1) throw std::runtime_error("too many");
    return n;
  });
  std::future<int> answer = task.get_future();
  std::thread worker(std::move(task), 2);
  try {
    answer.get();
    return 1;
  } catch (const std::runtime_error& error) {
    USE(error.what()[0]);
  }
  USE(side);
  worker.join();
}
