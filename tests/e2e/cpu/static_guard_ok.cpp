// A function static is made once, whoever comes first.
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
    USE(table().values[3]);
    order_reached(1);
  });
  USE(table().values[3]);
  other.join();
}
