// A producer hands items to a consumer with a mutex and a condition variable.
#include "order.h"

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
int full, item;

static void* producer(void* unused) {
  for (int i = 0; i < 2; i++) {
    pthread_mutex_lock(&lock);
    while (full) pthread_cond_wait(&changed, &lock);
    item = i;
    full = 1;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
  }
  return unused;
}

static void* consumer(void* unused) {
  for (int i = 0; i < 2; i++) {
    pthread_mutex_lock(&lock);
    while (!full) pthread_cond_wait(&changed, &lock);
    full = 0;
    pthread_cond_signal(&changed);
    USE(item);
    pthread_mutex_unlock(&lock);
  }
  return unused;
}

int main(void) {
  in_two_threads(producer, consumer);
  return 0;
}
