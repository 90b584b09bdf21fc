// Each of two threads maps the same file, which the program has mapped already, uses it and unmaps it.
#define _GNU_SOURCE
#include <sys/mman.h>
#include <unistd.h>

#include "order.h"

enum { kSize = 4096 };
int file;

static void* first(void* unused) {
  int* here = mmap(NULL, kSize, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  here[5] = 1;  // RACE
  munmap(here, kSize);
  order_reached(1);
  return unused;
}

static void* second(void* unused) {
  order_await(1);
  int* there = mmap(NULL, kSize, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  there[5] = 2;  // RACE
  munmap(there, kSize);
  return unused;
}

int main(void) {
  file = memfd_create("alias", 0);
  if (ftruncate(file, kSize) != 0) return 1;
  int* all = mmap(NULL, kSize, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  in_two_threads(first, second);
  return all[5] == 2 ? 0 : 1;
}
