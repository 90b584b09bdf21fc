// Data is written before the flag that says so, under one mutex: it may then be read without it.
#include <sched.h>

#include "order.h"

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int ready, data;

static void* producer(void* unused) {
  data = 42;
  pthread_mutex_lock(&lock);
  ready = 1;
  pthread_mutex_unlock(&lock);
  return unused;
}

static void* consumer(void* unused) {
  for (int seen = 0; !seen; sched_yield()) {
    pthread_mutex_lock(&lock);
    seen = ready;
    pthread_mutex_unlock(&lock);
  }
  USE(data);
  return unused;
}

int main(void) {
  in_two_threads(producer, consumer);
  return 0;
}
