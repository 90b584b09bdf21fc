// A page in the middle of a large mapping is mapped a second time, and used under a mutex that is on another page.
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
pthread_mutex_t* lock;

static void* first(void* unused) {
  pthread_mutex_lock(lock);
  for (int i = 1; i < kPages; ++i) whole[i * kInts + 5] = 1;
  pthread_mutex_unlock(lock);
  order_reached(1);
  return unused;
}

static void* second(void* unused) {
  order_await(1);
  int* page = mmap(NULL, kPage, PROT_READ | PROT_WRITE, MAP_SHARED, file, kAt * kPage);
  pthread_mutex_t* same = mmap(NULL, kPage, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  pthread_mutex_lock(same);
  page[5] = 2;
  pthread_mutex_unlock(same);
  return unused;
}

int main(void) {
  char name[] = "/tmp/redflag-alias-XXXXXX";
  file = mkstemp(name);
  unlink(name);
  if (ftruncate(file, kPages * kPage) != 0) return 1;
  whole = mmap(NULL, kPages * kPage, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  lock = (pthread_mutex_t*)whole;
  pthread_mutexattr_t kind;
  pthread_mutexattr_init(&kind);
  pthread_mutexattr_setpshared(&kind, PTHREAD_PROCESS_SHARED);
  pthread_mutex_init(lock, &kind);
  in_two_threads(first, second);
  return whole[kAt * kInts + 5] == 2 ? 0 : 1;
}
