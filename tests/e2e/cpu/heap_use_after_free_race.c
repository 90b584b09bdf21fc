// A block is read by another thread after it was freed.
#include <semaphore.h>
#include <stdlib.h>

#include "order.h"

int* volatile block;
sem_t done;

static void* freer(void* unused) {
  free(block);  // RACE
  order_reached(1);
  return unused;
}

static void* reader(void* unused) {
  order_await(1);
  int value = block[2];  // RACE
  USE(value);
  return unused;
}

int main(void) {
  sem_init(&done, 0, 0);
  block = calloc(16, sizeof(int));
  in_two_threads(freer, reader);
  return 0;
}
