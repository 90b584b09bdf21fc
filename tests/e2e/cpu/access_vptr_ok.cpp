// The virtual call is ordered before the destruction by joining.
#include <thread>

#include "order.h"

struct Base {
  virtual int name() { return 1; }
  virtual ~Base() { order_await(2); }
};
struct Derived : Base {
  int name() override { return 2; }
};

__attribute__((noinline)) static void call(Base* object) {
  USE(object->name());
}

int main() {
  Base* object = new Derived;
  std::thread caller([=] {
    call(object);
    order_reached(1);
    order_reached(2);
  });
  caller.join();
  delete object;
}
