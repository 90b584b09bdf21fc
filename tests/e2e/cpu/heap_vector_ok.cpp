// Both threads lock before they use the vector.
#include <mutex>
#include <thread>
#include <vector>

#include "order.h"

static std::vector<int> values(4);
static std::mutex guard;

int main() {
  std::thread reader([] {
    std::lock_guard<std::mutex> hold(guard);
    USE(values[1]);
    order_reached(1);
  });
  order_await(1);
  {
    std::lock_guard<std::mutex> hold(guard);
    for (int i = 0; i < 100; i++) values.push_back(i);
  }
  reader.join();
}
