// A cancelled thread's cleanup handler races with the thread that cancelled it.
#include <unistd.h>

#include "order.h"

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int shared;

static void clean(void* unused) {
  shared = 2;  // RACE
  order_reached(2);
  pthread_mutex_unlock(&lock);
  USE(unused);
}

static void* body(void* unused) {
  pthread_mutex_lock(&lock);
  pthread_cleanup_push(clean, NULL);
  order_reached(1);
  for (;;) pause();
  pthread_cleanup_pop(0);
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, body, NULL);
  order_await(1);
  pthread_cancel(thread);
  order_await(2);
  shared = 3;  // RACE
  void* result;
  pthread_join(thread, &result);
  return result == PTHREAD_CANCELED ? 0 : 1;
}
