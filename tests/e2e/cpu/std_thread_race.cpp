// The main thread reads a result before it joins the std::thread that computes it.
#include <thread>

#include "order.h"

static int result;

int main() {
  std::thread worker([] {
    result = 42;  // RACE
    order_reached(1);
  });
  order_await(1);
  USE(result);  // RACE
  worker.join();
}
