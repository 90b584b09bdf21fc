// Four threads alternate between writing their slot and reading their neighbour's, with barriers.
#include "order.h"

enum { kThreads = 4, kRounds = 20 };
pthread_barrier_t barrier;
int slots[kThreads];

static void* body(void* argument) {
  long me = (long)argument;
  for (int round = 0; round < kRounds; round++) {
    slots[me] = round;
    pthread_barrier_wait(&barrier);
    USE(slots[(me + 1) % kThreads]);
    pthread_barrier_wait(&barrier);
  }
  return NULL;
}

int main(void) {
  pthread_t threads[kThreads];
  pthread_barrier_init(&barrier, NULL, kThreads);
  for (long i = 0; i < kThreads; i++) pthread_create(&threads[i], NULL, body, (void*)i);
  for (int i = 0; i < kThreads; i++) pthread_join(threads[i], NULL);
  pthread_barrier_destroy(&barrier);
  return 0;
}
