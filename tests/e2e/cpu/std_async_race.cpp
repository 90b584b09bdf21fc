// The result variable is read while the asynchronous call still runs.
#include <future>

#include "order.h"

static int side;

int main() {
  std::future<int> answer = std::async(std::launch::async, [] {
    side = 1;  // RACE
    order_reached(1);
    return 42;
  });
  order_await(1);
  USE(side);  // RACE
  int value = answer.get();
  return value == 42 ? 0 : 1;
}
