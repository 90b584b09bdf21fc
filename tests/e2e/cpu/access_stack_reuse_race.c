// The frame of a function that returned is still written by the thread it was lent to.
#include "order.h"

pthread_t thread;

static void* late(void* argument) {
  *(int*)argument = 1;  // RACE
  order_reached(1);
  return NULL;
}

__attribute__((noinline)) static void store(int* place) {
  *place = 2;  // RACE
}

// The second call has its frame where the first one had it.
__attribute__((noinline)) static void in_frame(int again) {
  int local[64];
  USE_OBJECT(local);
  if (again) {
    order_await(1);
    store(&local[8]);
  } else {
    pthread_create(&thread, NULL, late, &local[8]);
  }
  USE_OBJECT(local);
}

int main(void) {
  for (volatile int again = 0; again < 2; again++) in_frame(again);
  pthread_join(thread, NULL);
  return 0;
}
