// The pointer is published relaxed, so consume order has nothing to depend on.
#include <sched.h>
#include <stdatomic.h>

#include "order.h"

int data;
_Atomic(int*) where;

static void* producer(void* unused) {
  data = 1;  // RACE
  atomic_store_explicit(&where, &data, memory_order_relaxed);
  return unused;
}

static void* consumer(void* unused) {
  int* found;
  while (!(found = atomic_load_explicit(&where, memory_order_consume))) sched_yield();
  USE(*found);  // RACE
  return unused;
}

int main(void) {
  in_two_threads(producer, consumer);
  return 0;
}
