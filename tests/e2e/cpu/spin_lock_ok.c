// A spin lock on both sides, taken with lock and with trylock.
#include <sched.h>

#include "order.h"

pthread_spinlock_t spin;
int shared;

static void* first(void* unused) {
  pthread_spin_lock(&spin);
  shared = 1;
  pthread_spin_unlock(&spin);
  order_reached(1);
  return unused;
}

static void* second(void* unused) {
  order_await(1);
  while (pthread_spin_trylock(&spin) != 0) sched_yield();
  shared = 2;
  pthread_spin_unlock(&spin);
  return unused;
}

int main(void) {
  pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
  in_two_threads(first, second);
  pthread_spin_destroy(&spin);
  return 0;
}
