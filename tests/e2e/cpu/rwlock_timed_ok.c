// timedwrlock and timedrdlock are granted in time.
#include <time.h>

#include "order.h"

pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
int shared;

static void* reader(void* unused) {
  struct timespec when;
  clock_gettime(CLOCK_REALTIME, &when);
  when.tv_sec += 10;
  pthread_rwlock_timedrdlock(&lock, &when);
  USE(shared);
  order_reached(1);
  pthread_rwlock_unlock(&lock);
  return unused;
}

static void* writer(void* unused) {
  order_await(1);
  struct timespec when;
  clock_gettime(CLOCK_REALTIME, &when);
  when.tv_sec += 10;
  int result = pthread_rwlock_timedwrlock(&lock, &when);
  shared = 1;
  if (result == 0) pthread_rwlock_unlock(&lock);
  return unused;
}

int main(void) {
  in_two_threads(reader, writer);
  return 0;
}
