// A shared_mutex: one writes, many read.
#include <mutex>
#include <shared_mutex>
#include <thread>

#include "order.h"

static std::shared_mutex lock;
static int value;

static void read_value() {
  std::shared_lock<std::shared_mutex> hold(lock);
  USE(value);
}

static void write_value() {
  std::unique_lock<std::shared_mutex> hold(lock);
  value++;
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
