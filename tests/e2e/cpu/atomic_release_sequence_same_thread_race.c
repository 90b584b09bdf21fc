// A relaxed store after a release store does not release what was done between the two.
#include <sched.h>
#include <stdatomic.h>

#include "order.h"

int data;
atomic_int flag;

static void* producer(void* unused) {
  atomic_store_explicit(&flag, 1, memory_order_release);
  data = 1;  // RACE
  atomic_store_explicit(&flag, 2, memory_order_relaxed);
  return unused;
}

static void* consumer(void* unused) {
  while (atomic_load_explicit(&flag, memory_order_acquire) != 2) sched_yield();
  USE(data);  // RACE
  return unused;
}

int main(void) {
  in_two_threads(producer, consumer);
  return 0;
}
