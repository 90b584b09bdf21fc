// A page is written at one address, which is then unmapped, and again at the other.
#define _GNU_SOURCE
#include <sys/mman.h>
#include <unistd.h>

#include "order.h"

enum { kSize = 4096 };
int *here, *there;

static void* first(void* unused) {
  here[5] = 1;  // RACE
  munmap(here, kSize);
  order_reached(1);
  return unused;
}

static void* second(void* unused) {
  order_await(1);
  there[5] = 2;  // RACE
  return unused;
}

int main(void) {
  int file = memfd_create("alias", 0);
  if (ftruncate(file, kSize) != 0) return 1;
  here = mmap(NULL, kSize, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  there = mmap(NULL, kSize, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  in_two_threads(first, second);
  return there[5] == 2 ? 0 : 1;
}
