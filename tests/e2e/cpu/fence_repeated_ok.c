// Ten messages, each with its own pair of fences.
#include <sched.h>
#include <stdatomic.h>

#include "order.h"

enum { kMessages = 10 };
int data[kMessages];
atomic_int sent;

static void* producer(void* unused) {
  for (int i = 0; i < kMessages; i++) {
    data[i] = i;
    atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&sent, i + 1, memory_order_relaxed);
  }
  return unused;
}

static void* consumer(void* unused) {
  for (int i = 0; i < kMessages; i++) {
    while (atomic_load_explicit(&sent, memory_order_relaxed) <= i) sched_yield();
    atomic_thread_fence(memory_order_acquire);
    if (data[i] != i) return &data;
  }
  return unused;
}

int main(void) {
  in_two_threads(producer, consumer);
  return 0;
}
