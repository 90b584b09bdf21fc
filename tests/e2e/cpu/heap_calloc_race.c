// A block fresh from calloc is handed over without order: even its zeroes may be missed.
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "order.h"

_Atomic(int*) handed;

static void* maker(void* unused) {
  int* block = calloc(4, sizeof(int));  // RACE
  atomic_store_explicit(&handed, block, memory_order_relaxed);
  return unused;
}

static void* taker(void* unused) {
  int* block;
  while (!(block = atomic_load_explicit(&handed, memory_order_relaxed))) sched_yield();
  USE(block[1]);  // RACE
  return unused;
}

int main(void) {
  in_two_threads(maker, taker);
  return 0;
}
