// A long double is written by one thread and read by another.
// COMPILERS: gcc
#include "order.h"

long double shared;

static void* writer(void* unused) {
  shared = 1.5L;  // RACE
  order_reached(1);
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, writer, NULL);
  order_await(1);
  long double copy = shared;  // RACE
  USE_OBJECT(copy);
  pthread_join(thread, NULL);
  return 0;
}
