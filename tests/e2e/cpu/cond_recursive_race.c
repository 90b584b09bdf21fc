// Waiting with a recursive mutex: the writer does not take it.
#include "order.h"

pthread_mutex_t lock;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
int ready, data;

static void* waiter(void* unused) {
  pthread_mutex_lock(&lock);
  while (!ready) pthread_cond_wait(&changed, &lock);
  pthread_mutex_lock(&lock);
  order_await(1);
  data++;  // RACE
  pthread_mutex_unlock(&lock);
  pthread_mutex_unlock(&lock);
  return unused;
}

static void* writer(void* unused) {
  pthread_mutex_lock(&lock);
  ready = 1;
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&lock);
  data = 1;  // RACE
  order_reached(1);
  return unused;
}

int main(void) {
  pthread_mutexattr_t kind;
  pthread_mutexattr_init(&kind);
  pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_RECURSIVE);
  pthread_mutex_init(&lock, &kind);
  in_two_threads(waiter, writer);
  return 0;
}
