// A semaphore of two lets two threads into a section that is meant for one.
#include <semaphore.h>

#include "order.h"

sem_t room;
int shared;

static void* first(void* unused) {
  sem_wait(&room);
  shared++;  // RACE
  order_reached(1);
  order_await(2);
  sem_post(&room);
  return unused;
}

static void* second(void* unused) {
  order_await(1);
  sem_wait(&room);
  shared++;  // RACE
  order_reached(2);
  sem_post(&room);
  return unused;
}

int main(void) {
  sem_init(&room, 0, 2);
  in_two_threads(first, second);
  return 0;
}
