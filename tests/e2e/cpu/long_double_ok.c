// A long double is handed over by joining.
// COMPILERS: gcc
#include "order.h"

long double shared;

static void* writer(void* unused) {
  shared = 1.5L;
  order_reached(1);
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, writer, NULL);
  order_await(1);
  pthread_join(thread, NULL);
  long double copy = shared;
  USE_OBJECT(copy);
  return 0;
}
