// A compare-exchange that succeeds with acquire order sees what was released.
#include <sched.h>
#include <stdatomic.h>

#include "order.h"

int data;
atomic_int flag;

static void* producer(void* unused) {
  data = 1;
  atomic_store_explicit(&flag, 1, memory_order_release);
  return unused;
}

static void* consumer(void* unused) {
  int expected = 1;
  while (!atomic_compare_exchange_strong_explicit(&flag, &expected, 2, memory_order_acquire,
                                                  memory_order_relaxed)) {
    expected = 1;
    sched_yield();
  }
  USE(data);
  return unused;
}

int main(void) {
  in_two_threads(producer, consumer);
  return 0;
}
