// pthread_cond_clockwait holds the mutex again when it returns.
#define _GNU_SOURCE
#include <time.h>

#include "order.h"

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
int ready, data;

static void* producer(void* unused) {
  pthread_mutex_lock(&lock);
  ready = 1;
  data = 1;
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&lock);
  return unused;
}

static void* consumer(void* unused) {
  struct timespec when;
  clock_gettime(CLOCK_MONOTONIC, &when);
  when.tv_sec += 10;
  pthread_mutex_lock(&lock);
  while (!ready) pthread_cond_clockwait(&changed, &lock, CLOCK_MONOTONIC, &when);
  data = 2;
  pthread_mutex_unlock(&lock);
  return unused;
}

int main(void) {
  in_two_threads(producer, consumer);
  return 0;
}
