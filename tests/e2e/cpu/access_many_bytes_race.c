// One byte among sixteen kilobytes written by two threads in stripes belongs to both.
#include <stdlib.h>

#include "order.h"

enum { kSize = 1 << 14, kStripe = 7 };
char* block;

static void fill(int parity) {
  for (int i = 0; i < kSize; i++) {
    if (i / kStripe % 2 == parity) block[i] = (char)i;  // RACE
  }
}

static void* even(void* unused) {
  fill(0);
  order_reached(1);
  return unused;
}

static void* odd(void* unused) {
  order_await(1);
  fill(1);
  block[kSize / kStripe / 4 * 2 * kStripe + 3] = 1;  // RACE
  return unused;
}

int main(void) {
  block = malloc(kSize);
  in_two_threads(even, odd);
  free(block);
  return 0;
}
