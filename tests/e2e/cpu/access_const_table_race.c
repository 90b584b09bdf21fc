// A table that should be constant is patched while another thread looks something up.
#include "order.h"

int table[256];

static void* lookup(void* unused) {
  long sum = 0;
  for (int i = 0; i < 256; i++) sum += table[i];  // RACE
  USE(sum);
  order_reached(1);
  return unused;
}

static void* patch(void* unused) {
  order_await(1);
  table[17] = 4;  // RACE
  return unused;
}

int main(void) {
  in_two_threads(lookup, patch);
  return 0;
}
