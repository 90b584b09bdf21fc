// The destructor of a static object joins the thread that uses it.
#include <thread>

#include "order.h"

struct Registry {
  int entries = 0;
  std::thread worker;
  void add() {
    entries++;
    order_reached(1);
  }
  ~Registry() {
    order_await(1);
    worker.join();
    entries = -1;
    USE_OBJECT(entries);
  }
};
static Registry registry;

int main() {
  registry.worker = std::thread([] { registry.add(); });
}
