// A block is read by another thread before a semaphore says it may be freed.
#include <semaphore.h>
#include <stdlib.h>

#include "order.h"

int* volatile block;
sem_t done;

static void* freer(void* unused) {
  sem_wait(&done);
  free(block);
  order_reached(1);
  return unused;
}

static void* reader(void* unused) {
  int value = block[2];
  USE(value);
  sem_post(&done);
  return unused;
}

int main(void) {
  sem_init(&done, 0, 0);
  block = calloc(16, sizeof(int));
  in_two_threads(freer, reader);
  return 0;
}
