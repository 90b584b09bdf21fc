// Two threads lock two mutexes each, one of them in common.
#include "order.h"

pthread_mutex_t left = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t right = PTHREAD_MUTEX_INITIALIZER;
int shared;

static void* first(void* unused) {
  pthread_mutex_lock(&left);
  shared = 1;
  pthread_mutex_unlock(&left);
  order_reached(1);
  return unused;
}

static void* second(void* unused) {
  order_await(1);
  pthread_mutex_lock(&left);
  pthread_mutex_lock(&right);
  shared = 2;
  pthread_mutex_unlock(&right);
  pthread_mutex_unlock(&left);
  return unused;
}

int main(void) {
  in_two_threads(first, second);
  return 0;
}
