// memset clears a block that another thread is reading.
#include <string.h>

#include "order.h"

char block[4096];
size_t half = 2048;

static void* clear(void* unused) {
  memset(block, 0, half + 1);  // RACE
  order_reached(1);
  return unused;
}

static void* reader(void* unused) {
  order_await(1);
  USE(block[2048]);  // RACE
  return unused;
}

int main(void) {
  in_two_threads(clear, reader);
  return 0;
}
