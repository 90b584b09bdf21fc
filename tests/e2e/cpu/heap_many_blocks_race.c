// One of ten thousand live blocks is written by two threads.
#include <stdlib.h>

#include "order.h"

enum { kBlocks = 10000 };
static char* blocks[kBlocks];

static void* make(void* unused) {
  for (int i = 0; i < kBlocks; i++) {
    blocks[i] = malloc(1 + i % 100);
    blocks[i][0] = 1;
  }
  return unused;
}

static void* first(void* unused) {
  blocks[7777][3] = 1;  // RACE
  order_reached(1);
  return unused;
}

static void* second(void* unused) {
  order_await(1);
  blocks[7777][3] = 2;  // RACE
  return unused;
}

int main(void) {
  make(NULL);
  in_two_threads(first, second);
  return 0;
}
