// A program at a fixed address (-no-pie) runs clean.
// FLAGS: -no-pie -fno-pie
#include "order.h"

int shared;

static void* body(void* unused) {
  shared = 1;
  order_reached(1);
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, body, NULL);
  pthread_join(thread, NULL);
  order_await(1);
  shared = 2;
  return 0;
}
