// A box is filled and emptied with acquire-release exchanges.
#include <sched.h>
#include <stdatomic.h>

#include "order.h"

int item;
_Atomic(int*) box;

static void* filler(void* unused) {
  item = 1;
  atomic_exchange_explicit(&box, &item, memory_order_acq_rel);
  return unused;
}

static void* taker(void* unused) {
  int* found;
  while (!(found = atomic_exchange_explicit(&box, NULL, memory_order_acq_rel))) sched_yield();
  *found = 2;
  return unused;
}

int main(void) {
  in_two_threads(filler, taker);
  return 0;
}
