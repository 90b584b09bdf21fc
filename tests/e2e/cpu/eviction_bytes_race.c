// A read of a word is not forgotten because its bytes are read one by one by others.
#include "order.h"

enum { kThreads = 8 };
union {
  long word;
  unsigned char bytes[8];
} shared;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void* whole(void* unused) {
  USE(shared.word);  // RACE
  order_reached(1);
  order_await(3);
  return unused;
}

static void* byte(void* argument) {
  order_await(1);
  for (int i = 0; i < 50; i++) USE(shared.bytes[(long)argument]);
  pthread_mutex_lock(&lock);
  pthread_mutex_unlock(&lock);
  return NULL;
}

static void* writer(void* unused) {
  order_await(2);
  pthread_mutex_lock(&lock);
  shared.bytes[6] = 1;  // RACE
  pthread_mutex_unlock(&lock);
  order_reached(3);
  return unused;
}

int main(void) {
  pthread_t first, threads[kThreads];
  pthread_create(&first, NULL, whole, NULL);
  pthread_t last;
  pthread_create(&last, NULL, writer, NULL);
  for (long i = 0; i < kThreads; i++) pthread_create(&threads[i], NULL, byte, (void*)i);
  for (int i = 0; i < kThreads; i++) pthread_join(threads[i], NULL);
  order_reached(2);
  pthread_join(last, NULL);
  pthread_join(first, NULL);
  return 0;
}
