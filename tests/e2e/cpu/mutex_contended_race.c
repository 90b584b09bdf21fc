// Four threads fight for a mutex, and one of them writes after its last unlock.
#include "order.h"

enum { kThreads = 4, kRounds = 2500 };
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
long counter;
long last;

static void* body(void* number) {
  for (int i = 0; i < kRounds; i++) {
    pthread_mutex_lock(&lock);
    counter++;
    pthread_mutex_unlock(&lock);
  }
  if ((long)number == 0) {
    last = 1;  // RACE
    order_reached(1);
  } else if ((long)number == 1) {
    order_await(1);
    last = 2;  // RACE
  }
  return number;
}

int main(void) {
  pthread_t threads[kThreads];
  for (long i = 0; i < kThreads; i++) pthread_create(&threads[i], NULL, body, (void*)i);
  for (int i = 0; i < kThreads; i++) pthread_join(threads[i], NULL);
  return counter == kThreads * kRounds ? 0 : 1;
}
