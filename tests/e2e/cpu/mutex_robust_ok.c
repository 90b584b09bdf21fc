// The owner of a robust mutex dies holding it; the next owner learns what it did.
#include <errno.h>

#include "order.h"

pthread_mutex_t lock;
int shared;

static void* dies_holding(void* unused) {
  pthread_mutex_lock(&lock);
  shared = 1;
  order_reached(1);
  return unused;
}

static void* heir(void* unused) {
  order_await(1);
  int result = pthread_mutex_lock(&lock);
  if (result == EOWNERDEAD) pthread_mutex_consistent(&lock);
  shared++;
  pthread_mutex_unlock(&lock);
  return unused;
}

int main(void) {
  pthread_mutexattr_t kind;
  pthread_mutexattr_init(&kind);
  pthread_mutexattr_setrobust(&kind, PTHREAD_MUTEX_ROBUST);
  pthread_mutex_init(&lock, &kind);
  in_two_threads(dies_holding, heir);
  if (pthread_mutex_trylock(&lock) != 0) return 1;
  pthread_mutex_unlock(&lock);
  return 0;
}
