// Memory far from all other, of which each thread has its own half, and which is mapped again later.
#include <sys/mman.h>

#include "order.h"

enum { kSize = 1 << 16 };
char* place;

static void* first(void* unused) {
  for (int i = 0; i < kSize / 2; i += 8) place[i] = 1;
  return unused;
}

static void* second(void* unused) {
  for (int i = kSize / 2; i < kSize; i += 8) place[i] = 2;
  return unused;
}

int main(void) {
  for (int i = 0; i < 2; ++i) {
    place = mmap((void*)0x0d0000000000, kSize, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    if (place == MAP_FAILED) return 1;
    in_two_threads(first, second);
    munmap(place, kSize);
  }
  return 0;
}
