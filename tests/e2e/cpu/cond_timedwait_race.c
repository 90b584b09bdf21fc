// A timed wait that ran out of time says nothing about the data.
#include <time.h>

#include "order.h"

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
int ready, data;

static void* producer(void* unused) {
  data = 1;  // RACE
  order_reached(1);
  order_await(2);
  pthread_mutex_lock(&lock);
  ready = 1;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&lock);
  return unused;
}

static void* consumer(void* unused) {
  order_await(1);
  pthread_mutex_lock(&lock);
  struct timespec when;
  clock_gettime(CLOCK_REALTIME, &when);
  when.tv_nsec = 0;
  pthread_cond_timedwait(&changed, &lock, &when);
  pthread_mutex_unlock(&lock);
  USE(data);  // RACE
  order_reached(2);
  return unused;
}

int main(void) {
  in_two_threads(producer, consumer);
  return 0;
}
