// A 128-bit atomic publishes data by store, exchange and compare-exchange.
// FLAGS: -mcx16
// COMPILERS: clang
#include <sched.h>

#include "order.h"

_Alignas(16) unsigned __int128 ready;
int data;

static void* producer(void* unused) {
  data = 1;
  __atomic_store_n(&ready, 1, __ATOMIC_RELEASE);
  return unused;
}

static void* consumer(void* unused) {
  while (__atomic_load_n(&ready, __ATOMIC_ACQUIRE) == 0) sched_yield();
  USE(data);
  unsigned __int128 expected = 1;
  __atomic_compare_exchange_n(&ready, &expected, 2, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
  if (__atomic_exchange_n(&ready, 3, __ATOMIC_ACQ_REL) != 2) return &data;
  if (__atomic_fetch_add(&ready, (unsigned __int128)1 << 64, __ATOMIC_SEQ_CST) != 3) return &data;
  return unused;
}

int main(void) {
  in_two_threads(producer, consumer);
  return 0;
}
