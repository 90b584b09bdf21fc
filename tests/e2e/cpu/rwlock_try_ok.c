// tryrdlock and trywrlock are repeated until they succeed.
#include <sched.h>

#include "order.h"

pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
int shared;

static void* writer(void* unused) {
  while (pthread_rwlock_trywrlock(&lock) != 0) sched_yield();
  shared = 1;
  order_reached(1);
  pthread_rwlock_unlock(&lock);
  return unused;
}

static void* reader(void* unused) {
  order_await(1);
  while (pthread_rwlock_tryrdlock(&lock) != 0) sched_yield();
  USE(shared);
  pthread_rwlock_unlock(&lock);
  return unused;
}

int main(void) {
  in_two_threads(writer, reader);
  return 0;
}
