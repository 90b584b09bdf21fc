// Among thousands of short threads two that run together write one variable.
// TIME: 60
#include "order.h"

enum { kRounds = 500, kTogether = 4 };
int slots[kTogether], total;

static void* body(void* argument) {
  slots[(long)argument]++;
  return NULL;
}

static void* first(void* unused) {
  total++;  // RACE
  order_reached(1);
  return unused;
}

static void* second(void* unused) {
  order_await(1);
  total++;  // RACE
  return unused;
}

int main(void) {
  for (int round = 0; round < kRounds; round++) {
    pthread_t threads[kTogether];
    for (long i = 0; i < kTogether; i++) pthread_create(&threads[i], NULL, body, (void*)i);
    for (int i = 0; i < kTogether; i++) pthread_join(threads[i], NULL);
    for (int i = 0; i < kTogether; i++) total += slots[i];
  }
  in_two_threads(first, second);
  return total > 0 ? 0 : 1;
}
