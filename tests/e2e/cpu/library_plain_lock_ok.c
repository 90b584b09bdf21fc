// A lock taken inside a library without checking orders its callers.
// LIBRARY: plain
// LINK: library
#include "order.h"

void enter(void);
void leave(void);
int shared;

static void* first(void* unused) {
  enter();
  shared++;
  leave();
  order_reached(1);
  return unused;
}

static void* second(void* unused) {
  order_await(1);
  enter();
  shared++;
  leave();
  return unused;
}

int main(void) {
  in_two_threads(first, second);
  return 0;
}
