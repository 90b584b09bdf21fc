// pthread_mutex_clocklock that ran out of time is taken for a success.
#define _GNU_SOURCE
#include <time.h>

#include "order.h"

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int shared;

static int lock_until(int seconds) {
  struct timespec when;
  clock_gettime(CLOCK_MONOTONIC, &when);
  when.tv_sec += seconds;
  return pthread_mutex_clocklock(&lock, CLOCK_MONOTONIC, &when);
}

static void* holder(void* unused) {
  lock_until(10);
  shared = 1;  // RACE
  order_reached(1);
  order_await(2);
  pthread_mutex_unlock(&lock);
  return unused;
}

static void* trier(void* unused) {
  order_await(1);
  int result = lock_until(-1);
  shared = 2;  // RACE
  if (result == 0) pthread_mutex_unlock(&lock);
  order_reached(2);
  return unused;
}

int main(void) {
  in_two_threads(holder, trier);
  return 0;
}
