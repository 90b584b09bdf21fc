// A flag read under the mutex says that data is ready, but the data is written after the flag.
#include <sched.h>

#include "order.h"

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int ready, data;

static void* producer(void* unused) {
  pthread_mutex_lock(&lock);
  ready = 1;
  pthread_mutex_unlock(&lock);
  data = 42;  // RACE
  order_reached(1);
  return unused;
}

static void* consumer(void* unused) {
  order_await(1);
  for (int seen = 0; !seen; sched_yield()) {
    pthread_mutex_lock(&lock);
    seen = ready;
    pthread_mutex_unlock(&lock);
  }
  USE(data);  // RACE
  return unused;
}

int main(void) {
  in_two_threads(producer, consumer);
  return 0;
}
