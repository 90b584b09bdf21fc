// Data is written after the sequentially consistent store that announces it.
#include <sched.h>
#include <stdatomic.h>

#include "order.h"

int data;
atomic_int ready;

static void* producer(void* unused) {
  ready = 1;
  data = 1;  // RACE
  order_reached(1);
  return unused;
}

static void* consumer(void* unused) {
  while (!ready) sched_yield();
  order_await(1);
  USE(data);  // RACE
  return unused;
}

int main(void) {
  in_two_threads(producer, consumer);
  return 0;
}
