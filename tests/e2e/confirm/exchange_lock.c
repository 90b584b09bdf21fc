// A counter under a lock made of an atomic exchange.
#include <stdatomic.h>

#include "two.h"

atomic_int taken;
long counter;

static void body(int number) {
  (void)number;
  for (int i = 0; i < 20; i++) {
    while (atomic_exchange_explicit(&taken, 1, memory_order_acquire)) sched_yield();
    counter++;
    atomic_store_explicit(&taken, 0, memory_order_release);
  }
}

int main(void) {
  in_threads(2, body);
  return counter == 40 ? 0 : 1;
}
