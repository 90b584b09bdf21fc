// A failed trylock is ignored and the data written anyway.
#include <sched.h>

#include "order.h"

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int shared;

static void* holder(void* unused) {
  pthread_mutex_lock(&lock);
  shared = 1;  // RACE
  order_reached(1);
  order_await(2);
  pthread_mutex_unlock(&lock);
  return unused;
}

static void* trier(void* unused) {
  order_await(1);
  int held = pthread_mutex_trylock(&lock) == 0;
  shared = 2;  // RACE
  if (held) pthread_mutex_unlock(&lock);
  order_reached(2);
  return unused;
}

int main(void) {
  in_two_threads(holder, trier);
  return 0;
}
