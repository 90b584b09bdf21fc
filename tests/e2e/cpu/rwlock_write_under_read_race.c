// A writer takes the lock for reading only.
#include "order.h"

pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
int shared;

static void* reader(void* unused) {
  pthread_rwlock_rdlock(&lock);
  USE(shared);  // RACE
  pthread_rwlock_unlock(&lock);
  order_reached(1);
  return unused;
}

static void* writer(void* unused) {
  order_await(1);
  pthread_rwlock_rdlock(&lock);
  shared = 1;  // RACE
  pthread_rwlock_unlock(&lock);
  return unused;
}

int main(void) {
  in_two_threads(reader, writer);
  return 0;
}
