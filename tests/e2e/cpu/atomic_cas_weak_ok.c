// A lock made of a weak compare-exchange is given up with a release store.
#include <sched.h>
#include <stdatomic.h>

#include "order.h"

atomic_int held;
int counter;

static void lock(void) {
  int expected = 0;
  while (!atomic_compare_exchange_weak_explicit(&held, &expected, 1, memory_order_acquire,
                                                memory_order_relaxed)) {
    expected = 0;
    sched_yield();
  }
}

static void unlock(void) {
  atomic_store_explicit(&held, 0, memory_order_release);
}

static void* body(void* unused) {
  for (int i = 0; i < 50; i++) {
    lock();
    counter++;
    unlock();
  }
  return unused;
}

int main(void) {
  in_two_threads(body, body);
  return 0;
}
