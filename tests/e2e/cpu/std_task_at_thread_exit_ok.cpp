// A packaged_task makes its result ready at the end of its thread, and an exception too.
#include <future>
#include <stdexcept>
#include <thread>
#include <vector>

#include "order.h"

static std::vector<int> made;

int main() {
  for (int i = 0; i < 20; i++) {
    std::packaged_task<int(int)> task([](int n) {
      made.push_back(n);
      if (n % 2) throw std::runtime_error("odd");
      return n;
    });
    std::future<int> answer = task.get_future();
    std::thread worker([own = std::move(task), i]() mutable {
      own.make_ready_at_thread_exit(i);
      made.push_back(-i);
    });
    try {
      answer.get();
    } catch (const std::runtime_error& error) {
      USE(error.what()[0]);
    }
    made.push_back(0);
    worker.join();
  }
  return made.size() == 60 ? 0 : 1;
}
