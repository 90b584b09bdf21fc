// Sixteen kilobytes are written by two threads in stripes of seven bytes.
#include <stdlib.h>

#include "order.h"

enum { kSize = 1 << 14, kStripe = 7 };
char* block;

static void fill(int parity) {
  for (int i = 0; i < kSize; i++) {
    if (i / kStripe % 2 == parity) block[i] = (char)i;
  }
}

static void* even(void* unused) {
  fill(0);
  order_reached(1);
  return unused;
}

static void* odd(void* unused) {
  fill(1);
  return unused;
}

int main(void) {
  block = malloc(kSize);
  in_two_threads(even, odd);
  free(block);
  return 0;
}
