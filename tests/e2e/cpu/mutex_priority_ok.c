// A priority-inheriting mutex protects a counter.
#include "order.h"

pthread_mutex_t lock;
int counter;

static void* locked(void* unused) {
  pthread_mutex_lock(&lock);
  counter++;
  pthread_mutex_unlock(&lock);
  order_reached(1);
  return unused;
}

int main(void) {
  pthread_mutexattr_t kind;
  pthread_mutexattr_init(&kind);
  pthread_mutexattr_setprotocol(&kind, PTHREAD_PRIO_INHERIT);
  pthread_mutex_init(&lock, &kind);
  in_two_threads(locked, locked);
  return 0;
}
