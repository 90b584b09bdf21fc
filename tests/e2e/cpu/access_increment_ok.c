// Two threads increment counters of their own, added up after joining.
#include "order.h"

struct {
  int first, second;
} counters;

static void* first(void* unused) {
  for (int i = 0; i < 1000; i++) counters.first++;
  order_reached(1);
  return unused;
}

static void* second(void* unused) {
  order_await(1);
  for (int i = 0; i < 1000; i++) counters.second++;
  return unused;
}

int main(void) {
  in_two_threads(first, second);
  return counters.first + counters.second == 2000 ? 0 : 1;
}
