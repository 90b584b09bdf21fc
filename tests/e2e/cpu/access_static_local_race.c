// A function's static variable is shared by all threads that call it.
#include "order.h"

__attribute__((noinline)) static int next_number(void) {
  static int last;
  last++;  // RACE RACE
  return last - 1 + (last == 0);
}

static void* first(void* unused) {
  USE(next_number());
  order_reached(1);
  return unused;
}

static void* second(void* unused) {
  order_await(1);
  USE(next_number());
  return unused;
}

int main(void) {
  in_two_threads(first, second);
  return 0;
}
