// Four threads fight for a mutex ten thousand times.
#include "order.h"

enum { kThreads = 4, kRounds = 2500 };
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
long counter;

static void* body(void* number) {
  for (int i = 0; i < kRounds; i++) {
    pthread_mutex_lock(&lock);
    counter++;
    pthread_mutex_unlock(&lock);
  }
  return number;
}

int main(void) {
  pthread_t threads[kThreads];
  for (long i = 0; i < kThreads; i++) pthread_create(&threads[i], NULL, body, (void*)i);
  for (int i = 0; i < kThreads; i++) pthread_join(threads[i], NULL);
  return counter == kThreads * kRounds ? 0 : 1;
}
