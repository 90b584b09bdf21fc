// pthread_cond_clockwait gives the mutex up while it waits: what it protected may change.
#define _GNU_SOURCE
#include <time.h>

#include "order.h"

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
int ready, data;

static void* producer(void* unused) {
  pthread_mutex_lock(&lock);
  ready = 1;
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&lock);
  data = 1;  // RACE
  order_reached(1);
  return unused;
}

static void* consumer(void* unused) {
  struct timespec when;
  clock_gettime(CLOCK_MONOTONIC, &when);
  when.tv_sec += 10;
  pthread_mutex_lock(&lock);
  while (!ready) pthread_cond_clockwait(&changed, &lock, CLOCK_MONOTONIC, &when);
  order_await(1);
  data = 2;  // RACE
  pthread_mutex_unlock(&lock);
  return unused;
}

int main(void) {
  in_two_threads(producer, consumer);
  return 0;
}
