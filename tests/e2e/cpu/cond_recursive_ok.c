// Waiting with a recursive mutex: it is held again afterwards.
#include "order.h"

pthread_mutex_t lock;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
int ready, data;

static void* waiter(void* unused) {
  pthread_mutex_lock(&lock);
  while (!ready) pthread_cond_wait(&changed, &lock);
  pthread_mutex_lock(&lock);
  data++;
  pthread_mutex_unlock(&lock);
  pthread_mutex_unlock(&lock);
  return unused;
}

static void* writer(void* unused) {
  pthread_mutex_lock(&lock);
  ready = 1;
  pthread_cond_signal(&changed);
  data = 1;
  pthread_mutex_unlock(&lock);
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
