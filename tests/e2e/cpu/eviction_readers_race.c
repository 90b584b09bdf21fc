// A read is not forgotten because a dozen other threads touch the location before it is written.
#include "order.h"

enum { kOthers = 12 };
int shared;
long sums[kOthers];

static void* victim(void* unused) {
  USE(shared);  // RACE
  order_reached(1);
  order_await(3);
  return unused;
}

// What joins all the others, but not the victim, with the writer.
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void* other(void* argument) {
  order_await(1);
  for (int i = 0; i < 100; i++) USE(shared);
  pthread_mutex_lock(&lock);
  sums[(long)argument]++;
  pthread_mutex_unlock(&lock);
  return NULL;
}

static void* writer(void* unused) {
  order_await(2);
  pthread_mutex_lock(&lock);
  shared = 1;  // RACE
  pthread_mutex_unlock(&lock);
  order_reached(3);
  return unused;
}

int main(void) {
  pthread_t threads[kOthers], first;
  pthread_create(&first, NULL, victim, NULL);
  pthread_t last;
  pthread_create(&last, NULL, writer, NULL);
  for (long i = 0; i < kOthers; i++) pthread_create(&threads[i], NULL, other, (void*)i);
  for (int i = 0; i < kOthers; i++) pthread_join(threads[i], NULL);
  order_reached(2);
  pthread_join(last, NULL);
  pthread_join(first, NULL);
  return 0;
}
