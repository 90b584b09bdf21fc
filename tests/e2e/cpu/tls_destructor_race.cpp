// A thread_local object's destructor writes a total that the main thread reads before joining.
#include <thread>

#include "order.h"

int total;

struct Counter {
  int count = 0;
  ~Counter() {
    total += count;  // RACE
    order_reached(1);
  }
};
thread_local Counter counter;

int main() {
  std::thread worker([] {
    for (int i = 0; i < 10; i++) counter.count++;
  });
  order_await(1);
  USE(total);  // RACE
  worker.join();
  return total == 10 ? 0 : 1;
}
