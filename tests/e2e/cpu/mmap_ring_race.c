// A ring buffer whose memory is mapped twice in a row: what was written across its end is at its beginning.
#define _GNU_SOURCE
#include <sys/mman.h>
#include <unistd.h>

#include "order.h"

enum { kPage = 4096, kSize = 3 * kPage };
char* ring;

static void* first(void* unused) {
  for (int i = 0; i < 200; ++i) ring[kSize - 100 + i] = 1;  // RACE
  order_reached(1);
  return unused;
}

static void* second(void* unused) {
  order_await(1);
  ring[50] = 2;  // RACE
  return unused;
}

int main(void) {
  int file = memfd_create("ring", 0);
  if (ftruncate(file, kSize) != 0) return 1;
  char* room = mmap(NULL, 2 * kSize + kPage, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  // Whatever the size of the detector's own pages, it is on an odd one.
  ring = (size_t)room % (2 * kPage) == 0 ? room + kPage : room;
  for (int i = 0; i < 2; ++i) {
    mmap(ring + i * kSize, kSize, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0);
  }
  in_two_threads(first, second);
  return ring[50] == ring[kSize + 50] ? 0 : 1;
}
