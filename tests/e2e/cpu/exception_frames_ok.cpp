// Exceptions thrown through many frames in two threads leave no false order and no report.
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
    order_reached(1);
  });
  unwinds();
  order_await(1);
  other.join();
  shared = 1;
}
