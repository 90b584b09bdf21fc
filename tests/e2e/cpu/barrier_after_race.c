// Two threads write one variable in the same phase between two barriers.
#include "order.h"

pthread_barrier_t barrier;
int shared;

static void* first(void* unused) {
  pthread_barrier_wait(&barrier);
  shared = 1;  // RACE
  order_reached(1);
  pthread_barrier_wait(&barrier);
  return unused;
}

static void* second(void* unused) {
  pthread_barrier_wait(&barrier);
  order_await(1);
  shared = 2;  // RACE
  pthread_barrier_wait(&barrier);
  return unused;
}

int main(void) {
  pthread_barrier_init(&barrier, NULL, 2);
  in_two_threads(first, second);
  pthread_barrier_destroy(&barrier);
  return 0;
}
