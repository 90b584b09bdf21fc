// Relaxed read-modify-writes by other threads continue the release sequence.
#include <sched.h>
#include <stdatomic.h>

#include "order.h"

int data;
atomic_int flag;

static void* head(void* unused) {
  data = 1;
  atomic_store_explicit(&flag, 1, memory_order_release);
  order_reached(1);
  return unused;
}

static void* middle(void* unused) {
  order_await(1);
  atomic_fetch_add_explicit(&flag, 1, memory_order_relaxed);
  order_reached(2);
  return unused;
}

static void* tail(void* unused) {
  order_await(2);
  while (atomic_load_explicit(&flag, memory_order_acquire) != 2) sched_yield();
  USE(data);
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, head, NULL);
  in_two_threads(middle, tail);
  pthread_join(thread, NULL);
  return 0;
}
