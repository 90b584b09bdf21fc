// Two threads fill disjoint halves of an array.
#include "order.h"

enum { kCount = 1000 };
int values[kCount];

static void* lower(void* unused) {
  for (int i = 0; i < kCount / 2; i++) values[i] = i;
  order_reached(1);
  return unused;
}

static void* upper(void* unused) {
  order_await(1);
  for (int i = kCount / 2; i < kCount; i++) values[i] = i;
  return unused;
}

int main(void) {
  in_two_threads(lower, upper);
  return 0;
}
