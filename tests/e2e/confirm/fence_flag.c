// Relaxed flags between fences hand a record back and forth.
#include <stdatomic.h>

#include "two.h"

atomic_int turn;
long record[3];

static void body(int number) {
  for (int i = 0; i < 10; i++) {
    while (atomic_load_explicit(&turn, memory_order_relaxed) % 2 != number) sched_yield();
    atomic_thread_fence(memory_order_acquire);
    record[i % 3] += i;
    atomic_thread_fence(memory_order_release);
    atomic_fetch_add_explicit(&turn, 1, memory_order_relaxed);
  }
}

int main(void) {
  in_threads(2, body);
  return 0;
}
