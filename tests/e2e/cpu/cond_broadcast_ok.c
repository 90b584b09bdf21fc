// The waiters are woken together and write one counter while they hold the mutex.
#include "order.h"

enum { kWaiters = 4 };
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t started = PTHREAD_COND_INITIALIZER;
int go, woken;

static void* waiter(void* unused) {
  pthread_mutex_lock(&lock);
  while (!go) pthread_cond_wait(&started, &lock);
  woken++;
  pthread_mutex_unlock(&lock);
  return unused;
}

int main(void) {
  pthread_t threads[kWaiters];
  for (int i = 0; i < kWaiters; i++) pthread_create(&threads[i], NULL, waiter, NULL);
  pthread_mutex_lock(&lock);
  go = 1;
  pthread_cond_broadcast(&started);
  pthread_mutex_unlock(&lock);
  for (int i = 0; i < kWaiters; i++) pthread_join(threads[i], NULL);
  return 0;
}
