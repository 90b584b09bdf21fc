// A relaxed fetch_or is atomic, but orders nothing.
#include <sched.h>
#include <stdatomic.h>

#include "order.h"

atomic_uint turn;
int data;

static void* first(void* unused) {
  data = 1;  // RACE
  atomic_fetch_or_explicit(&turn, 1, memory_order_relaxed);
  return unused;
}

static void* second(void* unused) {
  while (!atomic_fetch_or_explicit(&turn, 0, memory_order_acq_rel)) sched_yield();
  data = 2;  // RACE
  return unused;
}

int main(void) {
  in_two_threads(first, second);
  return 0;
}
