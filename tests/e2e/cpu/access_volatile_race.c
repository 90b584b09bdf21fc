// Volatile does not order threads: a volatile flag does not publish the data, nor itself.
#include "order.h"

volatile int ready;

static void* producer(void* unused) {
  ready = 1;  // RACE
  order_reached(1);
  return unused;
}

static void* consumer(void* unused) {
  order_await(1);
  if (ready) return unused;  // RACE
  return unused;
}

int main(void) {
  in_two_threads(producer, consumer);
  return 0;
}
