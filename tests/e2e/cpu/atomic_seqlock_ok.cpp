// A sequence lock whose data is atomic too.
#include <atomic>
#include <thread>

#include "order.h"

static std::atomic<unsigned> version{0};
static std::atomic<int> data{0};

static void write_data(int value) {
  version.fetch_add(1, std::memory_order_acq_rel);
  data.store(value, std::memory_order_release);
  version.fetch_add(1, std::memory_order_release);
}

int main() {
  std::thread reader([] {
    unsigned before = version.load(std::memory_order_acquire);
    int value = data.load(std::memory_order_acquire);
    USE(value);
    USE(before == version.load(std::memory_order_relaxed));
    order_reached(1);
  });
  order_await(1);
  write_data(5);
  reader.join();
}
