// The semaphore is posted after the data is written.
#include <semaphore.h>

#include "order.h"

sem_t ready;
int data;

static void* producer(void* unused) {
  data = 1;
  sem_post(&ready);
  return unused;
}

static void* consumer(void* unused) {
  sem_wait(&ready);
  USE(data);
  return unused;
}

int main(void) {
  sem_init(&ready, 0, 0);
  in_two_threads(producer, consumer);
  sem_destroy(&ready);
  return 0;
}
