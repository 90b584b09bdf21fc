// An error-checking mutex on one side and another mutex on the other protect nothing.
#define _GNU_SOURCE
#include "order.h"

pthread_mutex_t lock;
int counter;

static void* first(void* unused) {
  pthread_mutex_lock(&lock);
  counter++;  // RACE
  pthread_mutex_unlock(&lock);
  order_reached(1);
  return unused;
}

static void* second(void* unused) {
  order_await(1);
  pthread_mutex_t other = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&other);
  counter++;  // RACE
  pthread_mutex_unlock(&other);
  return unused;
}

int main(void) {
  pthread_mutexattr_t kind;
  pthread_mutexattr_init(&kind);
  pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_ERRORCHECK);
  pthread_mutex_init(&lock, &kind);
  in_two_threads(first, second);
  pthread_mutex_destroy(&lock);
  return 0;
}
