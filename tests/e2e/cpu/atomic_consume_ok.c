// The pointer is published with release and read with consume order.
#include <sched.h>
#include <stdatomic.h>

#include "order.h"

int data;
_Atomic(int*) where;

static void* producer(void* unused) {
  data = 1;
  atomic_store_explicit(&where, &data, memory_order_release);
  return unused;
}

static void* consumer(void* unused) {
  int* found;
  while (!(found = atomic_load_explicit(&where, memory_order_consume))) sched_yield();
  USE(*found);
  return unused;
}

int main(void) {
  in_two_threads(producer, consumer);
  return 0;
}
