// Threads write each other's cells in the phases of a barrier made of atomics.
#include <stdatomic.h>

#include "two.h"

enum { kThreads = 3 };
atomic_int arrived, phase;
int cells[kThreads];

static void barrier(void) {
  int now = atomic_load_explicit(&phase, memory_order_acquire);
  if (atomic_fetch_add_explicit(&arrived, 1, memory_order_acq_rel) == kThreads - 1) {
    atomic_store_explicit(&arrived, 0, memory_order_relaxed);
    atomic_store_explicit(&phase, now + 1, memory_order_release);
    return;
  }
  while (atomic_load_explicit(&phase, memory_order_acquire) == now) sched_yield();
}

static void body(int number) {
  for (int round = 0; round < 9; round++) {
    cells[(number + round) % kThreads]++;
    barrier();
  }
}

int main(void) {
  in_threads(kThreads, body);
  return cells[0] == 9 ? 0 : 1;
}
