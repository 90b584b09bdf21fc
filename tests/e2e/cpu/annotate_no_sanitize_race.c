// A function that opts out of checking does not hide what its caller does.
#include "order.h"

int data;

__attribute__((noinline, no_sanitize("thread"))) static int peek(void) {
  return data;
}

static void* writer(void* unused) {
  data = 1;  // RACE
  order_reached(1);
  return unused;
}

static void* reader(void* unused) {
  order_await(1);
  USE(peek());
  USE(data);  // RACE
  return unused;
}

int main(void) {
  in_two_threads(writer, reader);
  return 0;
}
