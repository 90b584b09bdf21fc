// A timed wait is repeated until the data is there.
#include <time.h>

#include "order.h"

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
int ready, data;

static void* producer(void* unused) {
  data = 1;
  pthread_mutex_lock(&lock);
  ready = 1;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&lock);
  return unused;
}

static void* consumer(void* unused) {
  pthread_mutex_lock(&lock);
  struct timespec when;
  clock_gettime(CLOCK_REALTIME, &when);
  when.tv_sec += 10;
  while (!ready) pthread_cond_timedwait(&changed, &lock, &when);
  pthread_mutex_unlock(&lock);
  USE(data);
  return unused;
}

int main(void) {
  in_two_threads(producer, consumer);
  return 0;
}
