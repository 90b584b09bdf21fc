// Atomic accesses of different sizes to one word are no data race.
#include "order.h"

union {
  unsigned word;
  unsigned char bytes[4];
} shared;

static void* whole(void* unused) {
  __atomic_fetch_add(&shared.word, 0x100, __ATOMIC_ACQ_REL);
  order_reached(1);
  return unused;
}

static void* part(void* unused) {
  order_await(1);
  __atomic_store_n(&shared.bytes[2], 1, __ATOMIC_RELEASE);
  return unused;
}

int main(void) {
  in_two_threads(whole, part);
  return 0;
}
