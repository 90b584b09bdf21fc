// One of two mappings of a page makes room for other memory, which has nothing to do with the page.
#define _GNU_SOURCE
#include <sys/mman.h>
#include <unistd.h>

#include "order.h"

enum { kSize = 4096 };
int *here, *there;

static void* first(void* unused) {
  there[5] = 1;
  order_reached(1);
  return unused;
}

static void* second(void* unused) {
  order_await(1);
  here[5] = 2;
  return unused;
}

int main(void) {
  int file = memfd_create("alias", 0);
  if (ftruncate(file, kSize) != 0) return 1;
  here = mmap(NULL, kSize, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  there = mmap(NULL, kSize, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  here[5] = there[5];
  munmap(here, kSize);
  here = mmap(here, kSize, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
  in_two_threads(first, second);
  return here[5] == 2 && there[5] == 1 ? 0 : 1;
}
