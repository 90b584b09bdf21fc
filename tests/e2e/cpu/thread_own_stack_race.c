// Two threads that run on stacks of the program's own write one variable.
#include <stdlib.h>

#include "order.h"

enum { kStack = 2 << 20 };
char* memory;
int shared;

static void* body(void* unused) {
  volatile int local[100];
  for (int i = 0; i < 100; i++) local[i] = i;
  shared++;  // RACE RACE
  order_arrived();
  order_await(2);
  return unused;
}

static void start(pthread_t* thread, char* stack) {
  pthread_attr_t own;
  pthread_attr_init(&own);
  pthread_attr_setstack(&own, stack, kStack);
  pthread_create(thread, &own, body, NULL);
}

int main(void) {
  if (posix_memalign((void**)&memory, 4096, 2 * kStack) != 0) return 1;
  pthread_t a, b;
  start(&a, memory);
  start(&b, memory + kStack);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  free(memory);
  return 0;
}
