// Each of two threads maps a file of its own twice, uses it and unmaps it.
#define _GNU_SOURCE
#include <sys/mman.h>
#include <unistd.h>

#include "order.h"

enum { kSize = 4096 };

static int use(int value) {
  int file = memfd_create("alias", 0);
  if (ftruncate(file, kSize) != 0) return 0;
  int* here = mmap(NULL, kSize, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  int* there = mmap(NULL, kSize, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  here[5] = value;
  int same = there[5] == value;
  munmap(here, kSize);
  munmap(there, kSize);
  return same;
}

static void* first(void* unused) {
  void* result = use(1) ? unused : NULL;
  order_reached(1);
  return result;
}

static void* second(void* unused) {
  order_await(1);
  return use(2) ? unused : NULL;
}

int main(void) {
  in_two_threads(first, second);
  return 0;
}
