// Two threads write one variable in different phases.
#include "order.h"

pthread_barrier_t barrier;
int shared;

static void* first(void* unused) {
  pthread_barrier_wait(&barrier);
  shared = 1;
  order_reached(1);
  pthread_barrier_wait(&barrier);
  return unused;
}

static void* second(void* unused) {
  pthread_barrier_wait(&barrier);
  pthread_barrier_wait(&barrier);
  shared = 2;
  return unused;
}

int main(void) {
  pthread_barrier_init(&barrier, NULL, 2);
  in_two_threads(first, second);
  pthread_barrier_destroy(&barrier);
  return 0;
}
