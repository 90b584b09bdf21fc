// Ten thousand mutexes are held at once, and the last of them protects the counter.
#include "order.h"

enum { kMutexes = 10000 };
pthread_mutex_t locks[kMutexes + 1];
int counter;

static void* holds_all(void* unused) {
  for (int i = 0; i < kMutexes; i++) pthread_mutex_lock(&locks[i]);
  counter++;
  for (int i = kMutexes - 1; i >= 0; i--) pthread_mutex_unlock(&locks[i]);
  order_reached(1);
  return unused;
}

static void* holds_one(void* unused) {
  int mine = kMutexes - 1;
  pthread_mutex_lock(&locks[mine]);
  counter++;
  pthread_mutex_unlock(&locks[mine]);
  return unused;
}

int main(void) {
  for (int i = 0; i <= kMutexes; i++) pthread_mutex_init(&locks[i], NULL);
  in_two_threads(holds_all, holds_one);
  return 0;
}
