// Two of three hundred threads that are alive together write one variable.
// TIME: 60
#include "order.h"

enum { kThreads = 300 };
pthread_barrier_t all;
int mine[kThreads], shared;

static void* body(void* argument) {
  long me = (long)argument;
  mine[me] = 1;
  pthread_barrier_wait(&all);
  mine[(me + 1) % kThreads]++;
  if (me == 7) {
    shared = 1;  // RACE
    order_reached(1);
    order_await(2);
  }
  if (me == 290) {
    order_await(1);
    shared = 2;  // RACE
    order_reached(2);
  }
  pthread_barrier_wait(&all);  // nobody ends before the two have met
  return NULL;
}

int main(void) {
  static pthread_t threads[kThreads];
  pthread_attr_t small;
  pthread_attr_init(&small);
  pthread_attr_setstacksize(&small, 256 << 10);
  pthread_barrier_init(&all, NULL, kThreads);
  for (long i = 0; i < kThreads; i++) pthread_create(&threads[i], &small, body, (void*)i);
  for (int i = 0; i < kThreads; i++) pthread_join(threads[i], NULL);
  return 0;
}
