// The store after the release fence goes to another variable than the one that is read.
#include <sched.h>
#include <stdatomic.h>

#include "order.h"

int data;
atomic_int first, second;

static void* producer(void* unused) {
  atomic_store_explicit(&second, 1, memory_order_relaxed);
  data = 1;  // RACE
  atomic_thread_fence(memory_order_release);
  atomic_store_explicit(&first, 1, memory_order_relaxed);
  order_reached(1);
  return unused;
}

static void* consumer(void* unused) {
  order_await(1);
  while (!atomic_load_explicit(&second, memory_order_relaxed)) sched_yield();
  atomic_thread_fence(memory_order_acquire);
  USE(data);  // RACE
  return unused;
}

int main(void) {
  in_two_threads(producer, consumer);
  return 0;
}
