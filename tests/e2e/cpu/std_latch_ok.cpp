// A latch: results are read after all have counted down.
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
      results[i] = i;
      done.count_down();
    });
  }
  done.wait();
  results[1]++;
  for (auto& worker : workers) worker.join();
}
