// A 128-bit atomic stored relaxed publishes nothing.
// FLAGS: -mcx16
// COMPILERS: clang
#include <sched.h>

#include "order.h"

_Alignas(16) unsigned __int128 ready;
int data;

static void* producer(void* unused) {
  data = 1;  // RACE
  __atomic_store_n(&ready, 1, __ATOMIC_RELAXED);
  return unused;
}

static void* consumer(void* unused) {
  while (__atomic_load_n(&ready, __ATOMIC_ACQUIRE) == 0) sched_yield();
  USE(data);  // RACE
  return unused;
}

int main(void) {
  in_two_threads(producer, consumer);
  return 0;
}
