// memcmp reads a block that another thread wrote.
#include <string.h>

#include "order.h"

char left[32], right[32];
size_t length = 16;

static void* writer(void* unused) {
  right[8] = 0;  // RACE
  order_reached(1);
  return unused;
}

static void* comparer(void* unused) {
  order_await(1);
  int order = memcmp(left, right, length);  // RACE
  USE(order);
  return unused;
}

int main(void) {
  in_two_threads(writer, comparer);
  return 0;
}
