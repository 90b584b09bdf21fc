// One thread initialises without call_once what the other initialises with it.
#include <mutex>
#include <thread>

#include "order.h"

static std::once_flag once;
static int table[4];

static void fill() {
  table[2] = 1;  // RACE
}

static void user() {
  std::call_once(once, fill);
  USE(table[1]);
}

int main() {
  std::thread other([] {
    user();
    order_reached(1);
  });
  order_await(1);
  table[2] = 2;  // RACE
  other.join();
  USE(table[2]);
}
