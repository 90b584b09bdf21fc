// A timed lock that ran out of time is taken for a success.
#include <time.h>

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
  struct timespec when;
  clock_gettime(CLOCK_REALTIME, &when);
  when.tv_nsec = 0;
  int result = pthread_mutex_timedlock(&lock, &when);
  shared = 2;  // RACE
  if (result == 0) pthread_mutex_unlock(&lock);
  order_reached(2);
  return unused;
}

int main(void) {
  in_two_threads(holder, trier);
  return 0;
}
