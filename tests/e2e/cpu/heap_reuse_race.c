// A block that was freed and allocated again many times is written by two threads.
#include <stdlib.h>

#include "order.h"

long* block;

static void* first(void* unused) {
  block[1] = 1;  // RACE
  order_reached(1);
  return unused;
}

static void* second(void* unused) {
  order_await(1);
  block[1] = 2;  // RACE
  return unused;
}

int main(void) {
  for (int i = 0; i < 100; i++) {
    free(block);
    block = malloc(64);
    block[1] = i;
  }
  in_two_threads(first, second);
  return 0;
}
