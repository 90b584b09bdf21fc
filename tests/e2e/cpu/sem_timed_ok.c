// sem_trywait, sem_timedwait and sem_clockwait order when they succeed.
#define _GNU_SOURCE
#include <sched.h>
#include <semaphore.h>
#include <time.h>

#include "order.h"

sem_t ready;
int data[3];

static void* producer(void* unused) {
  for (int i = 0; i < 3; i++) {
    data[i] = 1;
    sem_post(&ready);
  }
  order_reached(1);
  return unused;
}

static void* consumer(void* unused) {
  struct timespec when;
  while (sem_trywait(&ready) != 0) sched_yield();
  USE(data[0]);
  clock_gettime(CLOCK_REALTIME, &when);
  when.tv_sec += 10;
  if (sem_timedwait(&ready, &when) == 0) USE(data[1]);
  clock_gettime(CLOCK_MONOTONIC, &when);
  when.tv_sec += 10;
  if (sem_clockwait(&ready, CLOCK_MONOTONIC, &when) == 0) USE(data[2]);
  return unused;
}

int main(void) {
  sem_init(&ready, 0, 0);
  in_two_threads(producer, consumer);
  return 0;
}
