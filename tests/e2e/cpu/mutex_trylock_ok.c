// The data is written only if trylock succeeded.
#include <sched.h>

#include "order.h"

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int shared;

static void* holder(void* unused) {
  pthread_mutex_lock(&lock);
  shared = 1;
  order_reached(1);
  pthread_mutex_unlock(&lock);
  return unused;
}

static void* trier(void* unused) {
  order_await(1);
  while (pthread_mutex_trylock(&lock) != 0) sched_yield();
  shared = 2;
  pthread_mutex_unlock(&lock);
  return unused;
}

int main(void) {
  in_two_threads(holder, trier);
  return 0;
}
