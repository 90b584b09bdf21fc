// delete[] of an array that another thread fills.
#include <new>
#include <thread>

#include "order.h"

struct alignas(64) Line {
  int value = 0;
};

int main() {
  int* values = new int[100];
  Line* lines = new Line[3];
  std::thread filler([=] {
    for (int i = 0; i < 100; i++) values[i] = i;  // RACE
    lines[2].value = 1;
    order_reached(1);
  });
  order_await(1);
  delete[] values;  // RACE
  filler.join();
  delete[] lines;
}
