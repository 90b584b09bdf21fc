// Two threads increment one counter without a lock.
#include "order.h"

int counter;

static void* first(void* unused) {
  counter++;  // RACE
  order_reached(1);
  return unused;
}

static void* second(void* unused) {
  order_await(1);
  counter++;  // RACE
  return unused;
}

int main(void) {
  in_two_threads(first, second);
  return 0;
}
