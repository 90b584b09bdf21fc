// A relaxed read-modify-write by the releasing thread continues the release sequence.
#include <sched.h>
#include <stdatomic.h>

#include "order.h"

int data;
atomic_int flag;

static void* producer(void* unused) {
  atomic_store_explicit(&flag, 1, memory_order_release);
  data = 1;
  atomic_store_explicit(&flag, 1, memory_order_release);
  atomic_fetch_add_explicit(&flag, 1, memory_order_relaxed);
  return unused;
}

static void* consumer(void* unused) {
  while (atomic_load_explicit(&flag, memory_order_acquire) != 2) sched_yield();
  USE(data);
  return unused;
}

int main(void) {
  in_two_threads(producer, consumer);
  return 0;
}
