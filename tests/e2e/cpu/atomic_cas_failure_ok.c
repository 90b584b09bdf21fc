// A compare-exchange that fails with acquire order sees what was released.
#include <sched.h>
#include <stdatomic.h>

#include "order.h"

int data;
atomic_int flag;

static void* producer(void* unused) {
  data = 1;
  atomic_store_explicit(&flag, 1, memory_order_release);
  order_reached(1);
  return unused;
}

static void* consumer(void* unused) {
  order_await(1);
  int expected = 0;
  if (atomic_compare_exchange_strong_explicit(&flag, &expected, 2, memory_order_acq_rel,
                                              memory_order_acquire))
    return unused;
  USE(data);
  return unused;
}

int main(void) {
  in_two_threads(producer, consumer);
  return 0;
}
