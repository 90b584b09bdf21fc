// The program leaves through _exit while another thread runs.
// EXIT: 3
#include <unistd.h>

#include "order.h"

int shared;

static void* body(void* unused) {
  int shared = 0;
  shared = 1;
  USE_OBJECT(shared);
  order_reached(1);
  order_await(2);
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, body, NULL);
  order_await(1);
  shared = 2;
  _exit(3);
}
