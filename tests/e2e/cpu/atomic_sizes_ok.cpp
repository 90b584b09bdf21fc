// Atomics of 8, 16, 32 and 64 bits publish data alike.
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
    data = 1;
    ready.store(1, std::memory_order_release);
  }
  void receive() {
    while (ready.load(std::memory_order_acquire) == 0) sched_yield();
    USE(data);
  }
};

static Channel<std::uint8_t> c8;
static Channel<std::uint16_t> c16;
static Channel<std::uint32_t> c32;
static Channel<std::uint64_t> c64;

int main() {
  std::thread sender([] {
    c8.send();
    c16.send();
    c32.send();
    c64.send();
  });
  c8.receive();
  c16.receive();
  c32.receive();
  c64.receive();
  sender.join();
}
