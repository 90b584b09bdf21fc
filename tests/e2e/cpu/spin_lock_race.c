// A spin lock on one side, a mutex on the other.
#include <sched.h>

#include "order.h"

pthread_spinlock_t spin;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int shared;

static void* first(void* unused) {
  pthread_spin_lock(&spin);
  shared = 1;  // RACE
  pthread_spin_unlock(&spin);
  order_reached(1);
  return unused;
}

static void* second(void* unused) {
  order_await(1);
  pthread_mutex_lock(&lock);
  shared = 2;  // RACE
  pthread_mutex_unlock(&lock);
  return unused;
}

int main(void) {
  pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
  in_two_threads(first, second);
  pthread_spin_destroy(&spin);
  return 0;
}
