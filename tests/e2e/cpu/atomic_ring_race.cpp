// A ring buffer's producer moves the head before it fills the slot.
#include <sched.h>

#include <atomic>
#include <thread>

#include "order.h"

static int slots[4];
static std::atomic<unsigned> head{0}, tail{0};

static void produce(int value) {
  unsigned at = head.load(std::memory_order_relaxed);
  while (at - tail.load(std::memory_order_acquire) == 4) sched_yield();
  head.store(at + 1, std::memory_order_release);
  slots[at % 4] = value;  // RACE
  order_reached(1);
}

static int consume() {
  unsigned at = tail.load(std::memory_order_relaxed);
  while (head.load(std::memory_order_acquire) == at) sched_yield();
  order_await(1);
  int value = slots[at % 4];  // RACE
  tail.store(at + 1, std::memory_order_release);
  return value;
}

int main() {
  std::thread producer([] { produce(1); });
  USE(consume());
  producer.join();
}
