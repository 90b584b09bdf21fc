// A counting_semaphore of two lets two threads write at once.
// STD: c++20
#include <chrono>
#include <semaphore>
#include <thread>

#include "order.h"

static std::counting_semaphore<4> room(2);
static int counter;

static void enter() {
  room.acquire();
  counter++;  // RACE RACE
  order_arrived();
  order_await(2);
  room.release();
}

int main() {
  std::thread other([] { enter(); });
  enter();
  other.join();
}
