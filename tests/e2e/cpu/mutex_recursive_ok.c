// A recursive mutex, taken twice protects a counter.
#define _GNU_SOURCE
#include "order.h"

pthread_mutex_t lock;
int counter;

static void* first(void* unused) {
  pthread_mutex_lock(&lock);
  pthread_mutex_lock(&lock);
  counter++;
  pthread_mutex_unlock(&lock);
  pthread_mutex_unlock(&lock);
  order_reached(1);
  return unused;
}

static void* second(void* unused) {
  order_await(1);
  pthread_mutex_lock(&lock);
  pthread_mutex_lock(&lock);
  counter++;
  pthread_mutex_unlock(&lock);
  pthread_mutex_unlock(&lock);
  return unused;
}

int main(void) {
  pthread_mutexattr_t kind;
  pthread_mutexattr_init(&kind);
  pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_RECURSIVE);
  pthread_mutex_init(&lock, &kind);
  in_two_threads(first, second);
  pthread_mutex_destroy(&lock);
  return 0;
}
