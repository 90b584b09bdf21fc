// A block is copied with memcpy beside what another thread writes.
#include <string.h>

#include "order.h"

char source[100], target[100];
size_t length = 99;

static void* copier(void* unused) {
  memcpy(target, source, length);
  order_reached(1);
  return unused;
}

static void* writer(void* unused) {
  order_await(1);
  source[99] = 1;
  return unused;
}

int main(void) {
  in_two_threads(copier, writer);
  return 0;
}
