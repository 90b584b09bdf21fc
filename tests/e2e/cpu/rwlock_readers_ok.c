// Readers share a lock; the writers' changes reach all of them.
#include "order.h"

enum { kReaders = 6 };
pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
int shared[4];

static void* reader(void* unused) {
  for (int i = 0; i < 50; i++) {
    pthread_rwlock_rdlock(&lock);
    USE(shared[i % 4]);
    pthread_rwlock_unlock(&lock);
  }
  return unused;
}

static void* writer(void* unused) {
  for (int i = 0; i < 50; i++) {
    pthread_rwlock_wrlock(&lock);
    shared[i % 4]++;
    pthread_rwlock_unlock(&lock);
  }
  return unused;
}

int main(void) {
  pthread_t threads[kReaders];
  for (int i = 0; i < kReaders; i++) pthread_create(&threads[i], NULL, reader, NULL);
  writer(NULL);
  for (int i = 0; i < kReaders; i++) pthread_join(threads[i], NULL);
  return 0;
}
