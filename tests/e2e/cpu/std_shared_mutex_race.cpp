// A shared_mutex held shared does not allow writing.
#include <mutex>
#include <shared_mutex>
#include <thread>

#include "order.h"

static std::shared_mutex lock;
static int value;

static void read_value() {
  std::shared_lock<std::shared_mutex> hold(lock);
  USE(value);  // RACE
}

static void write_value() {
  std::shared_lock<std::shared_mutex> hold(lock);
  value++;  // RACE
}

int main() {
  std::thread reader([] {
    read_value();
    order_reached(1);
  });
  order_await(1);
  write_value();
  reader.join();
}
