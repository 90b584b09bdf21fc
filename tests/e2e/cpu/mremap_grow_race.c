// What mremap added to a block is written by two threads.
#define _GNU_SOURCE
#include <sys/mman.h>

#include "order.h"

enum { kPage = 4096, kOld = 4 * kPage, kNew = 64 * kPage };
char* place;

static void* first(void* unused) {
  place[kOld + 5] = 1;  // RACE
  order_reached(1);
  return unused;
}

static void* second(void* unused) {
  order_await(1);
  place[kOld + 5] = 2;  // RACE
  return unused;
}

int main(void) {
  place = mmap(NULL, kOld, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  // Something behind it, so that it must move.
  mmap(place + kOld, kPage, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
  place = mremap(place, kOld, kNew, MREMAP_MAYMOVE);
  in_two_threads(first, second);
  return 0;
}
