// The destructor of a static object runs while a thread still uses it.
#include <thread>

#include "order.h"

struct Registry {
  int entries = 0;
  std::thread worker;
  void add() {
    entries++;  // RACE
    order_reached(1);
  }
  ~Registry() {
    order_await(1);
    entries = -1;  // RACE
    USE_OBJECT(entries);
    worker.join();
  }
};
static Registry registry;

int main() {
  registry.worker = std::thread([] { registry.add(); });
}
