// A compare-exchange that fails with relaxed order acquires nothing, whatever its success order.
#include <sched.h>
#include <stdatomic.h>

#include "order.h"

int data;
atomic_int flag;

static void* producer(void* unused) {
  data = 1;  // RACE
  atomic_store_explicit(&flag, 1, memory_order_release);
  order_reached(1);
  return unused;
}

static void* consumer(void* unused) {
  order_await(1);
  int expected = 0;
  if (atomic_compare_exchange_strong_explicit(&flag, &expected, 2, memory_order_acq_rel,
                                              memory_order_relaxed))
    return unused;
  USE(data);  // RACE
  return unused;
}

int main(void) {
  in_two_threads(producer, consumer);
  return 0;
}
