// Two threads call a function of a shared library that changes what it is given.
// LINK: library
#include "order.h"

void add(int* to, int amount);
int values[2];

static void* first(void* unused) {
  add(&values[0], 1);
  order_reached(1);
  return unused;
}

static void* second(void* unused) {
  order_await(1);
  values[0] = 2;  // RACE
  return unused;
}

int main(void) {
  in_two_threads(first, second);
  return 0;
}
