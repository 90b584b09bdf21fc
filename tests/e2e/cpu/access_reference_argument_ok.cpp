// std::thread gets a copy of the vector element.
#include <functional>
#include <thread>
#include <vector>

#include "order.h"

static void add(int& value) {
  value += 1;
  order_reached(1);
}
static void add_copy(int value) {
  add(value);
}

int main() {
  std::vector<int> values(8);
  std::thread worker(add_copy, values[3]);
  order_await(1);
  values[3] = 7;
  worker.join();
}
