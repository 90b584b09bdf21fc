// A variable is initialised plainly before the threads start, and atomic afterwards.
#include <stdatomic.h>

#include "order.h"

int shared;

static void* writer(void* unused) {
  __atomic_store_n(&shared, 1, __ATOMIC_SEQ_CST);
  order_reached(1);
  return unused;
}

static void* reader(void* unused) {
  order_await(1);
  USE(__atomic_load_n(&shared, __ATOMIC_SEQ_CST));
  return unused;
}

int main(void) {
  shared = 5;
  in_two_threads(writer, reader);
  return shared == 1 ? 0 : 1;
}
