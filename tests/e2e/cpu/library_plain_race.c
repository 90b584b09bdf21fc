// A library without checking fills memory through memset; the program reads it unordered.
// LIBRARY: plain
// LINK: library
#include "order.h"

void fill(char* memory, unsigned long size);
char shared[64];

static void* first(void* unused) {
  fill(shared, 64);
  order_reached(1);
  return unused;
}

static void* second(void* unused) {
  order_await(1);
  USE(shared[40]);  // RACE
  return unused;
}

int main(void) {
  in_two_threads(first, second);
  return 0;
}
