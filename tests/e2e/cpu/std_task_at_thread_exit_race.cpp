// A packaged_task that runs at once orders only at the end of its thread, which nobody waits for.
#include <future>
#include <thread>

#include "order.h"

int made;

int main() {
  std::packaged_task<void()> task([] {
    made = 1;  // RACE
    order_reached(1);
  });
  std::future<void> answer = task.get_future();
  std::thread worker([&] {
    task.make_ready_at_thread_exit();
    order_await(2);
  });
  order_await(1);
  made = 2;  // RACE
  order_reached(2);
  answer.get();
  worker.join();
}
