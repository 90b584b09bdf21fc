// std::thread gets a reference (std::ref) to a vector element that its creator changes.
#include <functional>
#include <thread>
#include <vector>

#include "order.h"

static void add(int& value) {
  value += 1;  // RACE
  order_reached(1);
}

int main() {
  std::vector<int> values(8);
  std::thread worker(add, std::ref(values[3]));
  order_await(1);
  values[3] = 7;  // RACE
  worker.join();
}
