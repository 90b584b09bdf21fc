// A thread reads its neighbour's result before the barrier instead of after it.
#include "order.h"

enum { kThreads = 4, kRounds = 20 };
pthread_barrier_t barrier;
int slots[kThreads];

static void* body(void* argument) {
  long me = (long)argument;
  if (me != 1) pthread_barrier_wait(&barrier);
  if (me == 0) {
    slots[0] = 1;  // RACE
    order_reached(1);
  }
  if (me == 1) {
    order_await(1);
    USE(slots[0]);  // RACE
  }
  return NULL;
}

int main(void) {
  pthread_t threads[kThreads];
  pthread_barrier_init(&barrier, NULL, kThreads - 1);
  for (long i = 0; i < kThreads; i++) pthread_create(&threads[i], NULL, body, (void*)i);
  for (int i = 0; i < kThreads; i++) pthread_join(threads[i], NULL);
  pthread_barrier_destroy(&barrier);
  return 0;
}
