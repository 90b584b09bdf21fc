// __tsan_release on one address and __tsan_acquire on another order nothing.
#include "order.h"

void __tsan_acquire(void* address);
void __tsan_release(void* address);
int data;
char left, right;

static void* producer(void* unused) {
  data = 1;  // RACE
  __tsan_release(&left);
  order_reached(1);
  return unused;
}

static void* consumer(void* unused) {
  order_await(1);
  __tsan_acquire(&right);
  USE(data);  // RACE
  return unused;
}

int main(void) {
  in_two_threads(producer, consumer);
  return 0;
}
