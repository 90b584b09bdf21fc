// The old __sync operations are full barriers.
#include <sched.h>

#include "order.h"

int flag, data;

static void* producer(void* unused) {
  data = 1;
  __sync_fetch_and_add(&flag, 1);
  order_reached(1);
  return unused;
}

static void* consumer(void* unused) {
  while (!__sync_bool_compare_and_swap(&flag, 1, 2)) sched_yield();
  USE(data);
  return unused;
}

int main(void) {
  in_two_threads(producer, consumer);
  return 0;
}
