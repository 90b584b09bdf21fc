// Two threads have a copy of a shared_ptr each; whoever is last deletes the object.
#include <memory>
#include <thread>

#include "order.h"

struct Thing {
  int value = 1;
  ~Thing() { value = 0; }
};

int main() {
  auto shared = std::make_shared<Thing>();
  for (int round = 0; round < 100; round++) {
    std::thread other([mine = shared]() mutable {
      USE(mine->value);
      mine.reset();
    });
    USE(shared->value);
    shared.reset();
    other.join();
    shared = std::make_shared<Thing>();
  }
}
