// What was done before atexit is seen by the handler, whichever thread registered it.
#include <stdlib.h>

#include "order.h"

int shared;

static void at_exit(void) {
  shared++;
}

static void* body(void* unused) {
  shared = 1;
  atexit(at_exit);
  order_reached(1);
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, body, NULL);
  order_await(1);
  pthread_detach(thread);
  return 0;
}
