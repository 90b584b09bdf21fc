// A dozen threads read a location; it is written after the last of them was joined.
#include "order.h"

enum { kOthers = 12 };
int shared;

static void* victim(void* unused) {
  USE(shared);
  order_reached(1);
  return unused;
}

static void* other(void* argument) {
  for (int i = 0; i < 100; i++) USE(shared);
  USE(argument);
  return NULL;
}

int main(void) {
  pthread_t threads[kOthers], first;
  pthread_create(&first, NULL, victim, NULL);
  for (long i = 0; i < kOthers; i++) pthread_create(&threads[i], NULL, other, (void*)i);
  for (int i = 0; i < kOthers; i++) pthread_join(threads[i], NULL);
  pthread_join(first, NULL);
  shared = 1;
  return 0;
}
