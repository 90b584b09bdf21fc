// A releasing read-modify-write adds to what an earlier store released.
#include <sched.h>
#include <stdatomic.h>

#include "order.h"

int first_data, second_data;
atomic_int flag;

static void* first(void* unused) {
  first_data = 1;
  atomic_store_explicit(&flag, 1, memory_order_release);
  order_reached(1);
  return unused;
}

static void* second(void* unused) {
  order_await(1);
  second_data = 1;
  atomic_fetch_add_explicit(&flag, 1, memory_order_release);
  order_reached(2);
  return unused;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, first, NULL);
  pthread_create(&b, NULL, second, NULL);
  order_await(2);
  while (atomic_load_explicit(&flag, memory_order_acquire) != 2) sched_yield();
  USE(second_data);
  USE(first_data);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}
