// A spin lock on atomic_flag is cleared with release order.
#include <sched.h>

#include <atomic>
#include <thread>

#include "order.h"

static std::atomic_flag held = ATOMIC_FLAG_INIT;
static int counter;

static void body() {
  for (int i = 0; i < 50; i++) {
    while (held.test_and_set(std::memory_order_acquire)) sched_yield();
    counter++;
    held.clear(std::memory_order_release);
  }
}

int main() {
  std::thread other(body);
  body();
  other.join();
}
