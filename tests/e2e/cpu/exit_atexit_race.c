// An atexit handler runs while a detached thread still writes.
#include <stdlib.h>

#include "order.h"

int shared;

static void at_exit(void) {
  order_await(1);
  shared++;  // RACE
}

static void* body(void* unused) {
  shared = 1;  // RACE
  order_reached(1);
  order_await(2);
  return unused;
}

int main(void) {
  atexit(at_exit);
  pthread_t thread;
  pthread_create(&thread, NULL, body, NULL);
  pthread_detach(thread);
  return 0;
}
