// A program with a race ends with 66 even though main returns 3.
#include "order.h"

int shared;

static void* body(void* unused) {
  shared = 1;  // RACE
  order_reached(1);
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, body, NULL);
  order_await(1);
  shared = 2;  // RACE
  pthread_join(thread, NULL);
  return 3;
}
