// An object made once by a function static is changed by its users without a lock.
#include <thread>

#include "order.h"

struct Table {
  int values[16];
  Table() {
    for (int i = 0; i < 16; i++) values[i] = i;
  }
};

static Table& table() {
  static Table made;
  return made;
}

int main() {
  std::thread other([] {
    table().values[3]++;  // RACE
    order_reached(1);
  });
  order_await(1);
  table().values[3]++;  // RACE
  other.join();
}
