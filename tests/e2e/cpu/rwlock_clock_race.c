// clockwrlock runs out of time, and the data is written all the same.
#define _GNU_SOURCE
#include <time.h>

#include "order.h"

pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
int shared;

static void* writer(void* unused) {
  struct timespec when;
  clock_gettime(CLOCK_MONOTONIC, &when);
  when.tv_sec += 10;
  pthread_rwlock_clockwrlock(&lock, CLOCK_MONOTONIC, &when);
  shared = 1;  // RACE
  order_reached(1);
  order_await(2);
  pthread_rwlock_unlock(&lock);
  return unused;
}

static void* reader(void* unused) {
  order_await(1);
  struct timespec when;
  clock_gettime(CLOCK_MONOTONIC, &when);
  when.tv_nsec = 0;
  int result = pthread_rwlock_clockrdlock(&lock, CLOCK_MONOTONIC, &when);
  USE(shared);  // RACE
  if (result == 0) pthread_rwlock_unlock(&lock);
  order_reached(2);
  return unused;
}

int main(void) {
  in_two_threads(writer, reader);
  return 0;
}
