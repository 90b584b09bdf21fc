// A virtual call races with the base class's destructor putting its own vptr back.
#include <sched.h>

#include <thread>

#include "order.h"

struct Base {
  virtual int name() { return 1; }
  virtual ~Base() { order_await(2); }  // RACE
};
struct Derived : Base {
  int name() override { return 2; }
  ~Derived() override { order_await(1); }
};

__attribute__((noinline)) static void call(Base* object) {
  USE(object->name());  // RACE
}

int main() {
  Base* object = new Derived;
  std::thread caller([=] {
    call(object);
    sched_yield();  // a call of the library: the read is checked before the object is freed
    order_reached(1);
    order_reached(2);
  });
  delete object;
  caller.join();
}
