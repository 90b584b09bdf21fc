// After a hundred exceptions the reported stacks are still right.
#include <stdexcept>
#include <thread>

#include "order.h"

int shared;

__attribute__((noinline)) static int deep(int depth) {
  if (depth == 0) throw std::runtime_error("bottom");
  return deep(depth - 1) + 1;
}

static void unwinds() {
  for (int i = 0; i < 100; i++) {
    try {
      USE(deep(20));
    } catch (const std::runtime_error&) {
      continue;
    }
  }
}

int main() {
  std::thread other([] {
    unwinds();
    shared = 1;  // RACE
    order_reached(1);
  });
  unwinds();
  order_await(1);
  shared = 2;  // RACE
  other.join();
}
