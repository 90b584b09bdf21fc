// Double-checked locking with a plain pointer: the first check races.
#include <atomic>
#include <mutex>
#include <thread>

#include "order.h"

struct Service {
  int value = 7;
};
static Service service;
static Service* instance;
static std::mutex guard;

static Service* get() {
  if (instance != nullptr) return instance;  // RACE
  std::lock_guard<std::mutex> hold(guard);
  instance = &service;  // RACE
  return instance;
}

int main() {
  std::thread other([] {
    USE(get());
    order_reached(1);
  });
  order_await(1);
  USE(get());
  other.join();
}
