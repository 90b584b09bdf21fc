// The program leaves through _exit right after the race: the report is not lost.
#include <unistd.h>

#include "order.h"

int shared;

static void* body(void* unused) {
  shared = 1;  // RACE
  order_reached(1);
  order_await(2);
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, body, NULL);
  order_await(1);
  shared = 2;  // RACE
  _exit(0);
}
