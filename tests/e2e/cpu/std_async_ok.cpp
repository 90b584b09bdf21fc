// std::async: what the call did is seen after get.
#include <future>

#include "order.h"

static int side;

int main() {
  std::future<int> answer = std::async(std::launch::async, [] {
    side = 1;
    order_reached(1);
    return 42;
  });
  int value = answer.get();
  USE(side);
  return value == 42 ? 0 : 1;
}
