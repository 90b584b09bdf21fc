// The owner of a robust mutex dies; who gets EOWNERDEAD is ordered, who does not ask is not.
#include <errno.h>

#include "order.h"

pthread_mutex_t lock;
int shared;

static void* dies_holding(void* unused) {
  pthread_mutex_lock(&lock);
  shared = 1;  // RACE
  order_reached(1);
  return unused;
}

static void* heir(void* unused) {
  order_await(1);
  USE(shared);  // RACE
  return unused;
}

int main(void) {
  pthread_mutexattr_t kind;
  pthread_mutexattr_init(&kind);
  pthread_mutexattr_setrobust(&kind, PTHREAD_MUTEX_ROBUST);
  pthread_mutex_init(&lock, &kind);
  in_two_threads(dies_holding, heir);
  return 0;
}
