// __sync_fetch_and_add announces data that is written after it.
#include <sched.h>

#include "order.h"

int flag, data;

static void* producer(void* unused) {
  __sync_fetch_and_add(&flag, 1);
  data = 1;  // RACE
  order_reached(1);
  return unused;
}

static void* consumer(void* unused) {
  while (!__sync_bool_compare_and_swap(&flag, 1, 2)) sched_yield();
  order_await(1);
  USE(data);  // RACE
  return unused;
}

int main(void) {
  in_two_threads(producer, consumer);
  return 0;
}
