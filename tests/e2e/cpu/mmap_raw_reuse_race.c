// Memory mapped by a direct system call is written by two threads.
#define _GNU_SOURCE
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "order.h"

enum { kSize = 1 << 16 };
char* place;

static char* raw_map(void* where) {
  int flags = MAP_PRIVATE | MAP_ANONYMOUS | (where ? MAP_FIXED : 0);
  return (char*)syscall(SYS_mmap, where, (long)kSize, (long)(PROT_READ | PROT_WRITE), (long)flags,
                        -1L, 0L);
}

static void* first(void* unused) {
  place[100] = 1;  // RACE
  order_reached(1);
  return unused;
}

static void* second(void* unused) {
  order_await(1);
  place[100] = 2;  // RACE
  return unused;
}

int main(void) {
  place = raw_map(NULL);
  in_two_threads(first, second);
  return 0;
}
