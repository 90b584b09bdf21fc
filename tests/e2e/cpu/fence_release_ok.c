// A release fence before a relaxed store synchronises with an acquire load.
#include <sched.h>
#include <stdatomic.h>

#include "order.h"

int data;
atomic_int ready;

static void* producer(void* unused) {
  data = 1;
  atomic_thread_fence(memory_order_release);
  atomic_store_explicit(&ready, 1, memory_order_relaxed);
  return unused;
}

static void* consumer(void* unused) {
  while (!atomic_load_explicit(&ready, memory_order_acquire)) sched_yield();
  USE(data);
  return unused;
}

int main(void) {
  in_two_threads(producer, consumer);
  return 0;
}
