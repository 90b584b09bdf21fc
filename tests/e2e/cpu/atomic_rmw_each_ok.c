// Each read-modify-write operation releases and acquires.
#include <sched.h>
#include <stdatomic.h>

#include "order.h"

atomic_uint turn;
int data;

static void pass(int step) {
  data++;
  if (step == 0) atomic_fetch_add_explicit(&turn, 1, memory_order_release);
  if (step == 1) atomic_fetch_sub_explicit(&turn, -1, memory_order_acq_rel);
  if (step == 2) atomic_fetch_or_explicit(&turn, 1, memory_order_release);
  if (step == 3) atomic_fetch_xor_explicit(&turn, 7, memory_order_release);
  if (step == 4) atomic_exchange_explicit(&turn, 5, memory_order_release);
  if (step == 5) atomic_fetch_and_explicit(&turn, ~5u, memory_order_release);
}

static void* first(void* unused) {
  pass(0);
  while (atomic_fetch_add_explicit(&turn, 0, memory_order_acquire) != 2) sched_yield();
  pass(2);
  while (atomic_fetch_or_explicit(&turn, 0, memory_order_acquire) != 4) sched_yield();
  pass(4);
  return unused;
}

static void* second(void* unused) {
  while (atomic_fetch_sub_explicit(&turn, 0, memory_order_acquire) != 1) sched_yield();
  pass(1);
  while (atomic_fetch_xor_explicit(&turn, 0, memory_order_acquire) != 3) sched_yield();
  pass(3);
  while (atomic_fetch_and_explicit(&turn, ~0u, memory_order_acquire) != 5) sched_yield();
  pass(5);
  return unused;
}

int main(void) {
  in_two_threads(first, second);
  return 0;
}
