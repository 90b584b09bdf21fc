// An acquire fence after a relaxed load synchronises with a release store.
#include <sched.h>
#include <stdatomic.h>

#include "order.h"

int data;
atomic_int ready;

static void* producer(void* unused) {
  data = 1;
  atomic_store_explicit(&ready, 1, memory_order_release);
  order_reached(1);
  return unused;
}

static void* consumer(void* unused) {
  order_await(1);
  while (!atomic_load_explicit(&ready, memory_order_relaxed)) sched_yield();
  atomic_thread_fence(memory_order_acquire);
  USE(data);
  return unused;
}

int main(void) {
  in_two_threads(producer, consumer);
  return 0;
}
