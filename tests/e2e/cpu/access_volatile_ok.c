// The flag is atomic, not volatile.
#include <sched.h>
#include <stdatomic.h>

#include "order.h"

int data;
atomic_int ready;

static void* producer(void* unused) {
  data = 42;
  ready = 1;
  order_reached(1);
  return unused;
}

static void* consumer(void* unused) {
  while (!ready) sched_yield();
  USE(data);
  return unused;
}

int main(void) {
  in_two_threads(producer, consumer);
  return 0;
}
