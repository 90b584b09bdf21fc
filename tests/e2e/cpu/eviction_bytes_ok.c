// The bytes of a word are read by eight threads and written after they were joined.
#include "order.h"

enum { kThreads = 8 };
union {
  long word;
  unsigned char bytes[8];
} shared;

static void* whole(void* unused) {
  USE(shared.word);
  order_reached(1);
  return unused;
}

static void* byte(void* argument) {
  order_await(1);
  for (int i = 0; i < 50; i++) USE(shared.bytes[(long)argument]);
  return NULL;
}

int main(void) {
  pthread_t first, threads[kThreads];
  pthread_create(&first, NULL, whole, NULL);
  for (long i = 0; i < kThreads; i++) pthread_create(&threads[i], NULL, byte, (void*)i);
  for (int i = 0; i < kThreads; i++) pthread_join(threads[i], NULL);
  pthread_join(first, NULL);
  shared.bytes[6] = 1;
  return 0;
}
