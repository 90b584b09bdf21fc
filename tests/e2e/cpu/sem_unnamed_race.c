// The semaphore is posted before the data is written.
#include <semaphore.h>

#include "order.h"

sem_t ready;
int data;

static void* producer(void* unused) {
  sem_post(&ready);
  data = 1;  // RACE
  order_reached(1);
  return unused;
}

static void* consumer(void* unused) {
  sem_wait(&ready);
  order_await(1);
  USE(data);  // RACE
  return unused;
}

int main(void) {
  sem_init(&ready, 0, 0);
  in_two_threads(producer, consumer);
  sem_destroy(&ready);
  return 0;
}
