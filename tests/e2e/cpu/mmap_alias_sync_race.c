// A lock at one address of a double mapping, none at the other.
#define _GNU_SOURCE
#include <sys/mman.h>
#include <unistd.h>

#include "order.h"

struct Shared {
  pthread_mutex_t lock;
};
struct Shared *here, *there;
int data;

static void* first(void* unused) {
  pthread_mutex_lock(&here->lock);
  data++;  // RACE
  pthread_mutex_unlock(&here->lock);
  order_reached(1);
  return unused;
}

static void* second(void* unused) {
  order_await(1);
  data++;  // RACE
  return unused;
}

int main(void) {
  int file = memfd_create("alias", 0);
  if (ftruncate(file, 4096) != 0) return 1;
  here = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  there = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  pthread_mutexattr_t kind;
  pthread_mutexattr_init(&kind);
  pthread_mutexattr_setpshared(&kind, PTHREAD_PROCESS_SHARED);
  pthread_mutex_init(&here->lock, &kind);
  in_two_threads(first, second);
  return 0;
}
