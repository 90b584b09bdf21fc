// Objects are assigned and read under one mutex.
#include <mutex>
#include <thread>

#include "order.h"

struct Point {
  double x, y, z;
  int colour;
};
Point shared;
std::mutex guard;

int main() {
  std::thread writer([] {
    Point p{1, 2, 3, 4};
    USE_OBJECT(p);
    std::lock_guard<std::mutex> hold(guard);
    shared = p;
    order_reached(1);
  });
  order_await(1);
  {
    std::lock_guard<std::mutex> hold(guard);
    USE(shared.colour);
  }
  writer.join();
}
