// mremap moves a block to where another thread's unmapped block was: no history there.
#define _GNU_SOURCE
#include <sys/mman.h>

#include "order.h"

enum { kSize = 1 << 16 };
char *old_place, *new_place;

static void* first(void* unused) {
  for (int i = 0; i < kSize; i += 8) new_place[i] = 1;
  order_reached(1);
  return unused;
}

static void* second(void* unused) {
  order_await(1);
  if (mremap(old_place, kSize, kSize, MREMAP_MAYMOVE | MREMAP_FIXED, new_place) != new_place)
    return NULL;
  new_place[100] = 2;
  return unused;
}

int main(void) {
  old_place = mmap(NULL, kSize, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  new_place = mmap(NULL, kSize, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  in_two_threads(first, second);
  return 0;
}
