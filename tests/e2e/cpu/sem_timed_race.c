// sem_trywait fails, and the data is read all the same.
#define _GNU_SOURCE
#include <sched.h>
#include <semaphore.h>
#include <time.h>

#include "order.h"

sem_t ready;
int data[3];

static void* producer(void* unused) {
  for (int i = 0; i < 3; i++) {
    data[i] = 1;  // RACE
  }
  order_reached(1);
  return unused;
}

static void* consumer(void* unused) {
  order_await(1);
  if (sem_trywait(&ready) == 0) return NULL;
  USE(data[0]);  // RACE
  return unused;
}

int main(void) {
  sem_init(&ready, 0, 0);
  in_two_threads(producer, consumer);
  return 0;
}
