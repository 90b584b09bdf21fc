// A ring buffer for one producer and one consumer.
#include <sched.h>

#include <atomic>
#include <thread>

#include "order.h"

static int slots[4];
static std::atomic<unsigned> head{0}, tail{0};

static void produce(int value) {
  unsigned at = head.load(std::memory_order_relaxed);
  while (at - tail.load(std::memory_order_acquire) == 4) sched_yield();
  slots[at % 4] = value;
  head.store(at + 1, std::memory_order_release);
}

static int consume() {
  unsigned at = tail.load(std::memory_order_relaxed);
  while (head.load(std::memory_order_acquire) == at) sched_yield();
  int value = slots[at % 4];
  tail.store(at + 1, std::memory_order_release);
  return value;
}

int main() {
  std::thread producer([] {
    for (int i = 0; i < 500; i++) produce(i);
  });
  for (int i = 0; i < 500; i++) {
    if (consume() != i) return 1;
  }
  producer.join();
}
