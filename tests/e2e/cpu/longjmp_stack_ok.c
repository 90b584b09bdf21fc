// Long jumps out of deep calls in two threads.
#include <setjmp.h>

#include "order.h"

int shared;

__attribute__((noinline)) static int deep(jmp_buf* way_out, int depth) {
  if (depth == 0) longjmp(*way_out, 1);
  return deep(way_out, depth - 1) + 1;
}

__attribute__((noinline)) static void jumps(void) {
  for (volatile int i = 0; i < 100; i++) {
    jmp_buf way_out;
    if (setjmp(way_out) == 0) USE(deep(&way_out, 20));
  }
}

static void* first(void* unused) {
  jumps();
  order_reached(1);
  return unused;
}

static void* second(void* unused) {
  jumps();
  order_await(1);
  return unused;
}

int main(void) {
  in_two_threads(first, second);
  shared = 1;
  return 0;
}
