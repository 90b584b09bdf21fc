// counting_semaphore and binary_semaphore as a lock and as a signal.
// STD: c++20
#include <chrono>
#include <semaphore>
#include <thread>

#include "order.h"

static std::counting_semaphore<4> room(1);
static std::binary_semaphore ready(0);
static int counter;
static int data;

static void enter() {
  room.acquire();
  counter++;
  room.release();
}

int main() {
  std::thread other([] {
    enter();
    data = 1;
    ready.release();
  });
  enter();
  while (!ready.try_acquire_for(std::chrono::seconds(1))) continue;
  USE(data);
  other.join();
}
