// Assigning an object with an implicit copy races with a reader of its last member.
#include <mutex>
#include <thread>

#include "order.h"

struct Point {
  double x, y, z;
  int colour;
};
Point shared;

int main() {
  std::thread writer([] {
    Point p{1, 2, 3, 4};
    USE_OBJECT(p);
    shared = p;  // RACE
    order_reached(1);
  });
  order_await(1);
  {
    USE(shared.colour);  // RACE
  }
  writer.join();
}
