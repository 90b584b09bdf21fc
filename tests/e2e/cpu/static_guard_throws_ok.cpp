// A static whose constructor throws the first time is made by the next thread.
#include <stdexcept>
#include <thread>

#include "order.h"

int attempts, side;

struct Fragile {
  int value = 5;
  Fragile() {
    if (attempts++ == 0) throw std::runtime_error("not yet");
  }
};

static void touch() {
  try {
    static Fragile fragile;
    USE(fragile.value);
  } catch (const std::runtime_error&) {
    return;
  }
}

int main() {
  std::thread other([] {
    touch();
    order_reached(1);
  });
  order_await(1);
  touch();
  other.join();
  touch();
  return attempts == 2 ? 0 : 1;
}
