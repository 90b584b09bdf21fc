// A sequence lock whose data is not atomic.
#include <atomic>
#include <thread>

#include "order.h"

static std::atomic<unsigned> version{0};
static int data;

static void write_data(int value) {
  version.fetch_add(1, std::memory_order_acq_rel);
  data = value;  // RACE
  version.fetch_add(1, std::memory_order_release);
}

int main() {
  std::thread reader([] {
    unsigned before = version.load(std::memory_order_acquire);
    int value = data;  // RACE
    USE(value);
    USE(before == version.load(std::memory_order_relaxed));
    order_reached(1);
  });
  order_await(1);
  write_data(5);
  reader.join();
}
