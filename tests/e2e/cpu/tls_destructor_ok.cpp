// A thread_local object's destructor adds to a total that is read after joining.
#include <thread>

#include "order.h"

int total;

struct Counter {
  int count = 0;
  ~Counter() {
    total += count;
    order_reached(1);
  }
};
thread_local Counter counter;

int main() {
  std::thread worker([] {
    for (int i = 0; i < 10; i++) counter.count++;
  });
  worker.join();
  return total == 10 ? 0 : 1;
}
