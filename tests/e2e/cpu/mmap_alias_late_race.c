// A page in the middle of a large mapping is written, and only then mapped a second time.
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "order.h"

enum { kPage = 4096, kPages = 512, kAt = 301, kInts = kPage / sizeof(int) };
int* whole;
int file;

static void* first(void* unused) {
  for (int i = 0; i < kPages; ++i) whole[i * kInts + 5] = 1;  // RACE
  order_reached(1);
  return unused;
}

static void* second(void* unused) {
  order_await(1);
  int* page = mmap(NULL, kPage, PROT_READ | PROT_WRITE, MAP_SHARED, file, kAt * kPage);
  page[5] = 2;  // RACE
  return unused;
}

int main(void) {
  char name[] = "/tmp/redflag-alias-XXXXXX";
  file = mkstemp(name);
  unlink(name);
  if (ftruncate(file, kPages * kPage) != 0) return 1;
  whole = mmap(NULL, kPages * kPage, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  in_two_threads(first, second);
  return whole[kAt * kInts + 5] == 2 ? 0 : 1;
}
