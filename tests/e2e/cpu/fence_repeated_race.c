// The acquire fence covers what was loaded before it, not the next message.
#include <sched.h>
#include <stdatomic.h>

#include "order.h"

enum { kMessages = 10 };
int data[kMessages];
atomic_int sent;

static void* producer(void* unused) {
  for (int i = 0; i < kMessages; i++) {
    data[i] = i;  // RACE
    atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&sent, i + 1, memory_order_relaxed);
    if (i == 0) order_await(1);
  }
  return unused;
}

static void* consumer(void* unused) {
  while (atomic_load_explicit(&sent, memory_order_relaxed) == 0) sched_yield();
  atomic_thread_fence(memory_order_acquire);
  order_reached(1);
  while (atomic_load_explicit(&sent, memory_order_relaxed) != kMessages) sched_yield();
  USE(data[5]);  // RACE
  return unused;
}

int main(void) {
  in_two_threads(producer, consumer);
  return 0;
}
