// A variable is stored atomically by one thread and read plainly by another.
#include <stdatomic.h>

#include "order.h"

int shared;

static void* writer(void* unused) {
  __atomic_store_n(&shared, 1, __ATOMIC_SEQ_CST);  // RACE
  order_reached(1);
  return unused;
}

static void* reader(void* unused) {
  order_await(1);
  USE(shared);  // RACE
  return unused;
}

int main(void) {
  shared = 5;
  in_two_threads(writer, reader);
  return shared == 1 ? 0 : 1;
}
