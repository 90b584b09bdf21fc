// Threads run on stacks of the program's own, one after the other on the same memory.
#include <stdlib.h>

#include "order.h"

enum { kStack = 2 << 20 };
char* memory;

static void* body(void* unused) {
  volatile int local[100];
  for (int i = 0; i < 100; i++) local[i] = i;
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
  for (int round = 0; round < 20; round++) {
    start(&a, memory);
    pthread_join(a, NULL);
    for (int i = 0; i < kStack; i += 512) memory[i] = 1;
    start(&b, memory);
    pthread_join(b, NULL);
  }
  free(memory);
  return 0;
}
