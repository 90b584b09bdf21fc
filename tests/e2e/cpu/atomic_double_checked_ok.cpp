// Double-checked locking with an atomic pointer.
#include <atomic>
#include <mutex>
#include <thread>

#include "order.h"

struct Service {
  int value = 7;
};
static Service service;
static std::atomic<Service*> instance{nullptr};
static std::mutex guard;

static Service* get() {
  Service* found = instance.load(std::memory_order_acquire);
  if (found != nullptr) return found;
  std::lock_guard<std::mutex> hold(guard);
  service.value++;
  instance.store(&service, std::memory_order_release);
  return &service;
}

int main() {
  std::thread other([] {
    USE(get());
    order_reached(1);
  });
  order_await(1);
  USE(get()->value);
  other.join();
}
