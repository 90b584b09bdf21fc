// std::call_once initialises once and for all threads.
#include <mutex>
#include <thread>

#include "order.h"

static std::once_flag once;
static int table[4];

static void fill() {
  table[2] = 1;
}

static void user() {
  std::call_once(once, fill);
  USE(table[2]);
}

int main() {
  std::thread other([] {
    user();
    order_reached(1);
  });
  user();
  other.join();
}
