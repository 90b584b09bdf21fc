// One of two mappings of a file grows and moves; it is still the same memory as the other.
#define _GNU_SOURCE
#include <sys/mman.h>
#include <unistd.h>

#include "order.h"

enum { kPage = 4096, kInts = kPage / sizeof(int) };
int *here, *there;

static void* first(void* unused) {
  here[kInts + 5] = 1;  // RACE
  order_reached(1);
  return unused;
}

static void* second(void* unused) {
  order_await(1);
  there[kInts + 5] = 2;  // RACE
  return unused;
}

int main(void) {
  int file = memfd_create("alias", 0);
  if (ftruncate(file, 2 * kPage) != 0) return 1;
  here = mmap(NULL, 2 * kPage, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  int* small = mmap(NULL, kPage, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  int* room = mmap(NULL, 2 * kPage, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  there = mremap(small, kPage, 2 * kPage, MREMAP_MAYMOVE | MREMAP_FIXED, room);
  in_two_threads(first, second);
  return here[kInts + 5] == there[kInts + 5] ? 0 : 1;
}
