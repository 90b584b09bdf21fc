// A relaxed counter is no race, and joining orders the rest.
#include <sched.h>
#include <stdatomic.h>

#include "order.h"

atomic_int arrived;
int data;

static void* worker(void* unused) {
  data = 1;
  atomic_fetch_add_explicit(&arrived, 1, memory_order_relaxed);
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, worker, NULL);
  while (atomic_load_explicit(&arrived, memory_order_relaxed) != 1) sched_yield();
  pthread_join(thread, NULL);
  data = 2;
  return 0;
}
