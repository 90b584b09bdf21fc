// The flag is loaded relaxed: a release store alone publishes nothing.
#include <sched.h>
#include <stdatomic.h>

#include "order.h"

int data;
atomic_int ready;

static void* producer(void* unused) {
  data = 1;  // RACE
  atomic_store_explicit(&ready, 1, memory_order_release);
  return unused;
}

static void* consumer(void* unused) {
  while (!atomic_load_explicit(&ready, memory_order_relaxed)) sched_yield();
  USE(data);  // RACE
  return unused;
}

int main(void) {
  in_two_threads(producer, consumer);
  return 0;
}
