// Two fences with no atomic variable between them order nothing.
#include <sched.h>
#include <stdatomic.h>

#include "order.h"

int data;

static void* producer(void* unused) {
  data = 1;  // RACE
  atomic_thread_fence(memory_order_seq_cst);
  order_reached(1);
  return unused;
}

static void* consumer(void* unused) {
  order_await(1);
  atomic_thread_fence(memory_order_seq_cst);
  USE(data);  // RACE
  return unused;
}

int main(void) {
  in_two_threads(producer, consumer);
  return 0;
}
