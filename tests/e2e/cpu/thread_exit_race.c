// A cleanup handler runs at pthread_exit, at the same time as the main thread.
#include "order.h"

int cleaned;

static void clean(void* argument) {
  cleaned = *(int*)argument;  // RACE
  order_reached(1);
}

static void* body(void* unused) {
  int local = 1;
  pthread_cleanup_push(clean, &local);
  pthread_exit(unused);
  pthread_cleanup_pop(0);
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, body, NULL);
  order_await(1);
  cleaned++;  // RACE
  pthread_join(thread, NULL);
  return 0;
}
