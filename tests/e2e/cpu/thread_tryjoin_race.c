// A failed pthread_tryjoin_np orders nothing.
#define _GNU_SOURCE
#include <sched.h>
#include <time.h>

#include "order.h"

int result;

static void* body(void* unused) {
  result = 1;  // RACE
  order_reached(1);
  order_await(2);
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, body, NULL);
  order_await(1);
  if (pthread_tryjoin_np(thread, NULL) == 0) return 1;
  result++;  // RACE
  order_reached(2);
  pthread_join(thread, NULL);
  return 0;
}
