// A constant table is read by many threads.
#include "order.h"

static const int table[256] = {1, 2, 3};

static void* lookup(void* unused) {
  long sum = 0;
  for (int i = 0; i < 256; i++) sum += table[i];
  USE(sum);
  order_reached(1);
  return unused;
}

static void* patch(void* unused) {
  return lookup(unused);
}

int main(void) {
  in_two_threads(lookup, patch);
  return 0;
}
