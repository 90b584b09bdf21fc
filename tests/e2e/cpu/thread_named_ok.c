// Two named threads use a mutex.
#define _GNU_SOURCE
#include "order.h"

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int shared;

static void* first(void* unused) {
  pthread_setname_np(pthread_self(), "first");
  pthread_mutex_lock(&lock);
  shared = 1;
  pthread_mutex_unlock(&lock);
  order_reached(1);
  return unused;
}

static void* second(void* unused) {
  pthread_setname_np(pthread_self(), "second");
  order_await(1);
  pthread_mutex_lock(&lock);
  shared = 2;
  pthread_mutex_unlock(&lock);
  return unused;
}

int main(void) {
  in_two_threads(first, second);
  return 0;
}
