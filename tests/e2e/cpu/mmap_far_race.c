// Memory that the program maps far from all other, at an address of its own choice, has a shadow, too.
#include <sys/mman.h>

#include "order.h"

enum { kSize = 1 << 16 };
char* place;

static void* first(void* unused) {
  place[100] = 1;  // RACE
  order_reached(1);
  return unused;
}

static void* second(void* unused) {
  order_await(1);
  place[100] = 2;  // RACE
  return unused;
}

int main(void) {
  place = mmap((void*)0x0d0000000000, kSize, PROT_READ | PROT_WRITE,
               MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
  if (place == MAP_FAILED) return 1;
  in_two_threads(first, second);
  return 0;
}
