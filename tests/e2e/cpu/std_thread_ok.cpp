// The main thread reads a result after it joined the std::thread that computes it.
#include <thread>

#include "order.h"

static int result;

int main() {
  std::thread worker([] {
    result = 42;
    order_reached(1);
  });
  worker.join();
  return result == 42 ? 0 : 1;
}
