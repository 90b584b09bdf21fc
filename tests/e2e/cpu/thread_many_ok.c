// Thousands of short threads, a few at a time, each joined before its result is used.
// TIME: 60
#include "order.h"

enum { kRounds = 500, kTogether = 4 };
int slots[kTogether], total;

static void* body(void* argument) {
  slots[(long)argument]++;
  return NULL;
}

int main(void) {
  for (int round = 0; round < kRounds; round++) {
    pthread_t threads[kTogether];
    for (long i = 0; i < kTogether; i++) pthread_create(&threads[i], NULL, body, (void*)i);
    for (int i = 0; i < kTogether; i++) pthread_join(threads[i], NULL);
    for (int i = 0; i < kTogether; i++) total += slots[i];
  }
  return total > 0 ? 0 : 1;
}
