// Memory that is unmapped and mapped again by another thread carries no history.
#include <sys/mman.h>

#include "order.h"

enum { kSize = 1 << 16 };
char* place;

static void* first(void* unused) {
  for (int i = 0; i < kSize; i += 8) place[i] = 1;
  munmap(place, kSize);
  order_reached(1);
  return unused;
}

static void* second(void* unused) {
  order_await(1);
  char* again =
      mmap(place, kSize, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
  for (int i = 0; i < kSize; i += 8) again[i] = 2;
  return unused;
}

int main(void) {
  place = mmap(NULL, kSize, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  in_two_threads(first, second);
  return 0;
}
