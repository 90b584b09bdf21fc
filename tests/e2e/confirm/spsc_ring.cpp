// A ring for one producer and one consumer, with plain slots between two atomic positions.
#include <atomic>

#include "two.h"

namespace {

constexpr unsigned kSlots = 4;
long slots[kSlots];
std::atomic<unsigned> head{0}, tail{0};
long sum = 0;

void body(int number) {
  for (unsigned i = 0; i < 30; i++) {
    if (number == 0) {
      while (i - tail.load(std::memory_order_acquire) == kSlots) sched_yield();
      slots[i % kSlots] = i;
      head.store(i + 1, std::memory_order_release);
    } else {
      while (head.load(std::memory_order_acquire) == i) sched_yield();
      sum += slots[i % kSlots];
      slots[i % kSlots] = -1;
      tail.store(i + 1, std::memory_order_release);
    }
  }
}

}  // namespace

int main() {
  in_threads(2, body);
  return sum == 435 ? 0 : 1;
}
