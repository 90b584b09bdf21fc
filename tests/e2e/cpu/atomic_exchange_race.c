// A box is emptied with a relaxed exchange.
#include <sched.h>
#include <stdatomic.h>

#include "order.h"

int item;
_Atomic(int*) box;

static void* filler(void* unused) {
  item = 1;  // RACE
  atomic_exchange_explicit(&box, &item, memory_order_acq_rel);
  return unused;
}

static void* taker(void* unused) {
  int* found;
  while (!(found = atomic_exchange_explicit(&box, NULL, memory_order_relaxed))) sched_yield();
  *found = 2;  // RACE
  return unused;
}

int main(void) {
  in_two_threads(filler, taker);
  return 0;
}
