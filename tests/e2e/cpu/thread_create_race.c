// What the creator writes after pthread_create races with the new thread.
#include "order.h"

int input;

static void* body(void* unused) {
  order_await(1);
  USE(input);  // RACE
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, body, NULL);
  input = 1;  // RACE
  order_reached(1);
  pthread_join(thread, NULL);
  return 0;
}
