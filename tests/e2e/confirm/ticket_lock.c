// A counter under a ticket lock.
#include <stdatomic.h>

#include "two.h"

atomic_uint next_ticket, now_serving;
long counter;

static void body(int number) {
  (void)number;
  for (int i = 0; i < 20; i++) {
    unsigned mine = atomic_fetch_add_explicit(&next_ticket, 1, memory_order_relaxed);
    while (atomic_load_explicit(&now_serving, memory_order_acquire) != mine) sched_yield();
    counter++;
    atomic_store_explicit(&now_serving, mine + 1, memory_order_release);
  }
}

int main(void) {
  in_threads(3, body);
  return counter == 60 ? 0 : 1;
}
