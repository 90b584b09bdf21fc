// A lambda captures a local variable by reference and runs in another thread.
#include <thread>

#include "order.h"

int main() {
  int total = 1;
  std::thread worker([&total] {
    total += 1;  // RACE
    USE_OBJECT(total);
    order_reached(1);
  });
  order_await(1);
  total += 2;  // RACE
  USE_OBJECT(total);
  worker.join();
}
