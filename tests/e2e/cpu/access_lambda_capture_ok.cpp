// A lambda captures a local variable by value.
#include <thread>

#include "order.h"

int main() {
  int total = 1;
  std::thread worker([total]() mutable {
    total += 1;
    USE_OBJECT(total);
    order_reached(1);
  });
  order_await(1);
  total += 2;
  USE_OBJECT(total);
  worker.join();
}
