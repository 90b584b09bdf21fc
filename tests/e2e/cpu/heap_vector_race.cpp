// One thread appends to a vector that another one iterates over.
#include <mutex>
#include <thread>
#include <vector>

#include "order.h"

static std::vector<int> values(4);
static std::mutex guard;

int main() {
  std::thread reader([] {
    USE(values[1]);  // RACE
    order_reached(1);
  });
  order_await(1);
  {
    std::lock_guard<std::mutex> hold(guard);
    values[1] = 3;  // RACE
  }
  reader.join();
}
