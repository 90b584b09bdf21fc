// Two buffers: one thread fills the one that the other has finished with.
#include <stdatomic.h>

#include "two.h"

enum { kLength = 8, kRounds = 12 };
int buffers[2][kLength];
atomic_int filled, emptied;

static void body(int number) {
  for (int round = 0; round < kRounds; round++) {
    int* buffer = buffers[round % 2];
    if (number == 0) {
      while (round - atomic_load_explicit(&emptied, memory_order_acquire) >= 2) sched_yield();
      for (int i = 0; i < kLength; i++) buffer[i] = round;
      atomic_store_explicit(&filled, round + 1, memory_order_release);
    } else {
      while (atomic_load_explicit(&filled, memory_order_acquire) <= round) sched_yield();
      for (int i = 0; i < kLength; i++) {
        if (buffer[i] != round) __builtin_trap();
        buffer[i] = -1;
      }
      atomic_store_explicit(&emptied, round + 1, memory_order_release);
    }
  }
}

int main(void) {
  in_threads(2, body);
  return 0;
}
