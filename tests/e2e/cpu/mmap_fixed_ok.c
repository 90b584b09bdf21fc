// A mapping is replaced by another one in place: the new memory has no history.
#include <sys/mman.h>

#include "order.h"

enum { kPage = 4096 };
char* place;

static void* first(void* unused) {
  place[10] = 1;
  place[kPage + 10] = 1;
  order_reached(1);
  return unused;
}

static void* second(void* unused) {
  order_await(1);
  mmap(place, 2 * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
  place[kPage + 10] = 2;
  place[10] = 2;
  return unused;
}

int main(void) {
  place = mmap(NULL, 2 * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  in_two_threads(first, second);
  return 0;
}
