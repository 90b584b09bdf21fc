// A block fresh from calloc is handed over through an atomic pointer.
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "order.h"

_Atomic(int*) handed;

static void* maker(void* unused) {
  int* block = calloc(4, sizeof(int));
  atomic_store_explicit(&handed, block, memory_order_release);
  return unused;
}

static void* taker(void* unused) {
  int* block;
  while (!(block = atomic_load_explicit(&handed, memory_order_acquire))) sched_yield();
  USE(block[1]);
  free(block);
  return unused;
}

int main(void) {
  in_two_threads(maker, taker);
  return 0;
}
