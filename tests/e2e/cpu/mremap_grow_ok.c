// What mremap leaves behind when it moves a block has no history.
#define _GNU_SOURCE
#include <sys/mman.h>

#include "order.h"

enum { kPage = 4096, kOld = 4 * kPage, kNew = 64 * kPage };
char* place;

static void* first(void* unused) {
  for (int i = 0; i < kOld; i += 8) place[i] = 1;
  char* moved = mremap(place, kOld, kNew, MREMAP_MAYMOVE);
  for (int i = 0; i < kNew; i += 8) moved[i] = 1;
  order_reached(1);
  return unused;
}

static void* second(void* unused) {
  order_await(1);
  int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE;
  char* again = mmap(place, kOld, PROT_READ | PROT_WRITE, flags, -1, 0);
  for (int i = 0; again != MAP_FAILED && i < kOld; i += 8) again[i] = 2;
  return unused;
}

int main(void) {
  place = mmap(NULL, kOld, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  // Something behind it, so that it must move.
  mmap(place + kOld, kPage, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
  in_two_threads(first, second);
  return 0;
}
