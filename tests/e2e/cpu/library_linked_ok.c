// Two threads call a function of a shared library with arguments of their own.
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
  add(&values[1], 2);
  return unused;
}

int main(void) {
  in_two_threads(first, second);
  return 0;
}
