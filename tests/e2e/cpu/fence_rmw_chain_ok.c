// A fenced store is passed on by another thread's relaxed read-modify-write.
#include <sched.h>
#include <stdatomic.h>

#include "order.h"

int data;
atomic_int flag;

static void* head(void* unused) {
  data = 1;
  atomic_thread_fence(memory_order_release);
  atomic_store_explicit(&flag, 1, memory_order_relaxed);
  order_reached(1);
  return unused;
}

static void* middle(void* unused) {
  order_await(1);
  atomic_fetch_add_explicit(&flag, 1, memory_order_relaxed);
  return unused;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, head, NULL);
  pthread_create(&b, NULL, middle, NULL);
  while (atomic_load_explicit(&flag, memory_order_relaxed) != 2) sched_yield();
  atomic_thread_fence(memory_order_acquire);
  USE(data);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}
