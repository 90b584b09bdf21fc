// A result is read before the latch is waited for.
// STD: c++20
#include <latch>
#include <thread>

#include "order.h"

static std::latch done(3);
static int results[3];

int main() {
  std::thread workers[3];
  for (int i = 0; i < 3; i++) {
    workers[i] = std::thread([i] {
      results[i] = i;  // RACE
      if (i == 1) order_reached(1);
      done.count_down();
    });
  }
  order_await(1);
  results[1]++;  // RACE
  done.wait();
  for (auto& worker : workers) worker.join();
}
