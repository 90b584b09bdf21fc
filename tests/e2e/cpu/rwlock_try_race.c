// tryrdlock fails because a writer is in, and the data is read all the same.
#include <sched.h>

#include "order.h"

pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
int shared;

static void* writer(void* unused) {
  while (pthread_rwlock_trywrlock(&lock) != 0) sched_yield();
  shared = 1;  // RACE
  order_reached(1);
  order_await(2);
  pthread_rwlock_unlock(&lock);
  return unused;
}

static void* reader(void* unused) {
  order_await(1);
  int held = pthread_rwlock_tryrdlock(&lock) == 0;
  USE(shared);  // RACE
  if (held) pthread_rwlock_unlock(&lock);
  order_reached(2);
  return unused;
}

int main(void) {
  in_two_threads(writer, reader);
  return 0;
}
