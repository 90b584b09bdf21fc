// An eight-bit flag stored relaxed publishes nothing, as no size does.
#include <sched.h>

#include <atomic>
#include <cstdint>
#include <thread>

#include "order.h"

template <typename T>
struct Channel {
  std::atomic<T> ready{0};
  int data = 0;

  void send() {
    data = 1;  // RACE
    ready.store(1, std::memory_order_relaxed);
  }
  void receive() {
    while (ready.load(std::memory_order_acquire) == 0) sched_yield();
    USE(data);  // RACE
  }
};

static Channel<std::uint8_t> c8;

int main() {
  std::thread sender([] { c8.send(); });
  c8.receive();
  sender.join();
}
