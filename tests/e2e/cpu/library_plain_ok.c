// A library without checking works on memory of its own, from malloc and back.
// LIBRARY: plain
// LINK: library
#include "order.h"

void fill(char* memory, unsigned long size);
char shared[64];

static void* first(void* unused) {
  fill(shared, 32);
  order_reached(1);
  return unused;
}

static void* second(void* unused) {
  order_await(1);
  fill(shared + 32, 32);
  return unused;
}

int main(void) {
  in_two_threads(first, second);
  return 0;
}
