// A timed lock is taken in time.
#include <time.h>

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
  struct timespec when;
  clock_gettime(CLOCK_REALTIME, &when);
  when.tv_sec += 10;
  int result = pthread_mutex_timedlock(&lock, &when);
  shared = 2;
  if (result == 0) pthread_mutex_unlock(&lock);
  return unused;
}

int main(void) {
  in_two_threads(holder, trier);
  return 0;
}
